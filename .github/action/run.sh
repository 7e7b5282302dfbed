#!/usr/bin/env bash
# Runs the gate (MODE=run), or joins the parts in reshape-parts/ (MODE=merge). The reports are in reshape-report/.
set -uo pipefail

program=${RESHAPE_CONFORMANCE:-reshape-conformance}
report=reshape-report
branch=${GITHUB_BASE_REF:-${DEFAULT_BRANCH:-main}}
mkdir -p "$report"
reports=(--junit "$report/junit.xml" --html "$report/page.html")
if [ -n "${SARIF:-}" ]; then reports+=(--sarif "$SARIF"); fi

finish() {
    echo "exit-code=$1" >> "$GITHUB_OUTPUT"
    exit "$1"
}

run() {
    local which=(--gate --config "$CONFIG")
    if [ -n "${ADAPTER:-}" ]; then
        # An adapter of the program. One of the configuration has a command of its own.
        if "$program" adapters path "$ADAPTER" > /dev/null 2>&1; then
            "$program" adapters install "$ADAPTER" || finish $?
        fi
        if [ -e "$CONFIG" ]; then which+=(--adapter "$ADAPTER"); else which=(--adapter "$ADAPTER" --github); fi
    fi
    # The arguments are several words, none of which is a pattern of files.
    set -f
    # shellcheck disable=SC2086
    set -- ${ARGUMENTS:-}
    set +f
    # A part of a run annotates nothing: `merge` reports the whole.
    "$program" run "${which[@]}" --events "$report/events.jsonl" "${reports[@]}" "$@"
    local code=$?
    if [[ " $* " == *" --partition"* && $code == 10[01] ]]; then
        echo "This part is red ($code). The job that merges the parts reports it."
        echo "exit-code=$code" >> "$GITHUB_OUTPUT"
        exit 0
    fi
    # A single job has no `merge`. So its page says what changed, too, such as answers to open questions, which are never red.
    if [[ ${GITHUB_EVENT_NAME:-} == pull_request && -z ${ADAPTER:-} && -s $report/events.jsonl ]] &&
        [[ " $* " != *" --"@(partition|baseline)* ]] && baseline; then
        "$program" report render "$report/events.jsonl" --baseline reshape-baseline/events.jsonl --markdown "$report/summary.md"
        awk '/^##/ { on = /^### Changes since/ } /^(This is|Suite) / { on = 0 } on' "$report/summary.md" >> "$GITHUB_STEP_SUMMARY"
    fi
    finish $code
}

# Downloads the events of the last run of the branch that a pull request goes to, or of the default branch.
baseline() {
    local workflow id
    workflow=${GITHUB_WORKFLOW_REF%@*}
    workflow=${workflow##*/}
    for id in $(gh run list --workflow "$workflow" --branch "$branch" --event push --limit 10 --json databaseId --jq '.[].databaseId'); do
        if [ "$id" != "${GITHUB_RUN_ID:-}" ] && gh run download "$id" --name "$ARTIFACT" --dir reshape-baseline; then
            return 0
        fi
    done 2> /dev/null
    return 1
}

# Writes the one comment on the pull request, or replaces it.
comment() {
    local mark='<!-- reshape-conformance -->' number id
    number=$(sed -n 's,^refs/pull/\([0-9]*\)/.*,\1,p' <<< "${GITHUB_REF:-}")
    if [ -z "$number" ]; then return 0; fi
    # GitHub takes 65,536 characters.
    { echo "$mark"; head -c 60000 "$report/summary.md"; } > "$report/comment.md"
    if [ "$(wc -c < "$report/summary.md")" -gt 60000 ]; then
        printf '\n\n… The page of the job has the rest.\n' >> "$report/comment.md"
    fi
    local comments="repos/$GITHUB_REPOSITORY/issues"
    id=$(gh api --paginate "$comments/$number/comments" --jq ".[] | select(.body | startswith(\"$mark\")) | .id" | head -n 1)
    if [ -n "$id" ]; then
        gh api --silent --method PATCH "$comments/comments/$id" --field body=@"$report/comment.md"
    else
        gh api --silent --method POST "$comments/$number/comments" --field body=@"$report/comment.md"
    fi || echo "::notice title=Reshape conformance::no comment: the token may not write one, as in a pull request from a fork"
}

merge() {
    shopt -s nullglob
    local parts=(reshape-parts/*/events.jsonl) code
    if [ ${#parts[@]} == 0 ]; then
        echo "::error title=Reshape conformance::no job left the events of a part in an artifact '$ARTIFACT-…'"
        finish 5
    fi
    # The parts of one run are merged. The runs of several backends are reported together.
    if head -n 1 "${parts[0]}" | grep -q '"partition":"'; then
        "$program" merge "${parts[@]}" --output "$report/events.jsonl"
        code=$?
        if [ ! -e "$report/events.jsonl" ]; then finish $code; fi
        parts=("$report/events.jsonl")
    else
        reports+=(--events "$report/events.jsonl")
    fi
    local summary=$report/summary.md lacking=
    if baseline; then
        reports+=(--baseline reshape-baseline/events.jsonl)
    else
        lacking=$'\nNothing to compare with: no run of the branch `'"$branch"$'` left an artifact `'"$ARTIFACT"$'`.\n'
    fi
    "$program" report render "${parts[@]}" --github --markdown "$summary" "${reports[@]}"
    code=$?
    if [ -n "$lacking" ]; then tee -a "$summary" >> "$GITHUB_STEP_SUMMARY" <<< "$lacking"; fi
    if [ "${GITHUB_EVENT_NAME:-}" == pull_request ]; then comment; fi
    finish $code
}

case $MODE in
    run) run ;;
    merge) merge ;;
    *)
        echo "::error title=Reshape conformance::'mode' is run or merge"
        finish 2
        ;;
esac
