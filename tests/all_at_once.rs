//! Tests that mostly wait, for limits of seconds. They are one test, side by side: the harness runs only as many at once as
//! there are cores, so each of them would leave a core idle. It runs tests by name, and the name of this one puts it among
//! the first, so that others run beside it until its end.

#![cfg(unix)]

use crate::{check, deaths, endings, faults, gate, reports, retries, whose_fault};

#[test]
fn what_keeps_the_runner_waiting_is_tested_side_by_side() {
    let tests: &[fn()] = &[
        faults::the_handshake_has_a_limit_of_its_own_and_its_fault_is_named,
        faults::an_adapter_that_stops_reading_times_out_although_its_pipe_is_full,
        faults::several_runs_at_once_end_in_one_verdict_whatever_becomes_of_them,
        endings::a_pipe_that_nobody_reads_keeps_back_no_other_report_and_no_signal,
        endings::a_run_ends_with_its_time_limit,
        gate::the_time_goes_on_beside_a_bar_while_the_first_result_is_awaited,
        gate::the_limits_of_a_gate_hold_unless_the_command_line_says_otherwise,
        retries::a_retry_that_is_interrupted_leaves_its_trials_to_the_resumed_run,
        whose_fault::what_a_process_does_from_some_run_on_is_no_refusal_of_a_group,
        deaths::a_process_that_dies_where_no_trial_can_be_blamed_makes_the_run_red,
        check::who_is_killed_by_the_runner_is_not_said_to_have_died_of_a_signal,
        faults::every_trial_gets_one_verdict_whatever_happens_at_a_run,
        faults::what_goes_wrong_at_compile_is_the_outcome_of_that_models_trials_alone,
        faults::the_memory_of_the_processes_that_an_adapter_starts_is_its_own,
        reports::ctrl_c_leaves_a_stream_that_can_be_resumed,
        whose_fault::a_run_that_ends_early_prints_its_totals_and_the_first_trial_that_failed,
        endings::a_backend_that_does_not_start_again_is_not_available_whatever_is_known,
        endings::an_interrupted_run_ends_at_once_with_every_report,
    ];
    std::thread::scope(|scope| {
        for test in tests {
            scope.spawn(test);
        }
    });
}
