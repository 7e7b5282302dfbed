#!/bin/sh
# Builds the adapter twice: against the SYCL build of oneDNN out of the Python packages, and against Debian's OpenMP
# build, which is unpacked with the C library it needs. Everything goes under the adapter's own environment.
# usage: install.sh ENV ADAPTER KITS
set -eu
environment=$1 adapter=$2 kits=$3
debian=$environment/debian
suite=trixie
onednn=3.7.2+ds-2

fail() { echo "adapters/onednn: $*" >&2; exit 1; }
for tool in cc apt-get dpkg-deb; do
    command -v $tool > /dev/null || fail "$tool is needed, and not there"
done
[ "$(dpkg --print-architecture)" = amd64 ] || fail "the packages of oneDNN are for amd64"

# Where this machine gets Debian from: the source of its own release.
source_of_debian() {
    release=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
    apt-get indextargets --format '$(RELEASE) $(REPO_URI)' "Created-By: Packages" |
        awk -v release="$release" '$1 == release { print $2; exit }'
}

# A private apt beside the machine's own, which is left as it is.
fetch_debian() {
    uri=$(source_of_debian)
    [ -n "$uri" ] || fail "no source of this machine's apt is Debian's"
    rm -rf "$debian"
    mkdir -p "$debian/apt/lists/partial" "$debian/apt/cache/archives/partial" "$debian/packages"
    : > "$debian/apt/status"
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $uri $suite main" > "$debian/apt/sources.list"
    cat > "$debian/apt/apt.conf" << END
Dir::State::lists "$debian/apt/lists";
Dir::State::status "$debian/apt/status";
Dir::Cache "$debian/apt/cache";
Dir::Etc::sourcelist "$debian/apt/sources.list";
Dir::Etc::sourceparts "/dev/null";
Acquire::IndexTargets::deb::DEP-11::DefaultEnabled "false";
Acquire::Languages "none";
APT::Sandbox::User "$(id -un)";
END
    export APT_CONFIG="$debian/apt/apt.conf"
    apt-get -qq update || fail "apt cannot read $suite at $uri"
    # oneDNN is pinned; of the C library's packages, a suite holds one version, and any will do.
    (cd "$debian/packages" && apt-get -qq download libdnnl3.6=$onednn libdnnl-dev=$onednn libc6 libgomp1 libstdc++6 libgcc-s1) ||
        fail "$suite at $uri has no oneDNN $onednn any more"
    for package in "$debian"/packages/*.deb; do dpkg-deb -x "$package" "$debian/root"; done
    rm -rf "$debian/apt"
    echo $onednn > "$debian/complete"
}

build() { # build NAME, then include folder, library and what else the linker is to know
    name=$1 include=$2
    shift 2
    mkdir -p "$environment/bin"
    # The libraries' own needs are met where they are found, not here.
    cc -O2 -std=c11 -Wall -Wextra -Werror -pedantic -I "$kits/c" -isystem "$include" -o "$environment/bin/onednn-$name" \
        "$adapter/main.c" "$@" -Wl,--allow-shlib-undefined,--disable-new-dtags || fail "the adapter does not build against $include"
}

build sycl "$environment/include" -L "$environment/lib" -l:libdnnl.so.3 "-Wl,-rpath,$environment/lib"

[ "$(cat "$debian/complete" 2> /dev/null)" = $onednn ] || fetch_debian
libraries=$debian/root/usr/lib/x86_64-linux-gnu
build openmp "$debian/root/usr/include" "$libraries/libdnnl.so.3.6" \
    "-Wl,-rpath,$libraries,--dynamic-linker=$libraries/ld-linux-x86-64.so.2"

# One command for all configurations, which choose by environment variable.
cat > "$environment/bin/onednn" << 'END'
#!/bin/sh
exec "$0-${ONEDNN_ADAPTER_BUILD:-sycl}"
END
chmod +x "$environment/bin/onednn"
