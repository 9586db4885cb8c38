#!/usr/bin/env bash
# Makes sluice_VERSION_ARCH.deb and sluice-VERSION-linux-ARCH.tar.gz of a binary and what belongs to it.
#
#   scripts/package.sh [BINARY [FOLDER]]      default: .build/release/sluice, .build/package
#
# Libraries that no package of this system has are an error: the packages would not run elsewhere. SLUICE_PACKAGE_TRIAL=1 lets them pass,
# for a test with a binary that is not for others, and packs fast instead of small.
set -euo pipefail
cd "$(dirname "$0")/.."

binary=$(realpath "${1:-.build/release/sluice}")
out=${2:-.build/package}
trial=${SLUICE_PACKAGE_TRIAL:-}
level=${trial:+1}
level=${level:-9}
version=$("$binary" version --json | sed -n 's/.*"version":"\([^"]*\)".*/\1/p')
arch=$(dpkg --print-architecture)
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The same sources give the same archives.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH
umask 022

# What both have: bin, share.
usr=$work/usr
install -D "$binary" "$usr/bin/sluice"
[ -n "$trial" ] || strip "$usr/bin/sluice"
mkdir -p "$usr/share/sluice" "$usr/share/doc/sluice"
cp -r public "$usr/share/sluice/public"
cp -r README.md ARCHITECTURE.md CHANGELOG.md docs "$usr/share/doc/sluice/"
completions=$usr/share/bash-completion/completions
mkdir -p "$completions" "$usr/share/zsh/vendor-completions"
"$binary" --generate-completion-script bash >"$completions/sluice"
"$binary" --generate-completion-script zsh >"$usr/share/zsh/vendor-completions/_sluice"
mkdir -p "$usr/share/man/man1"
python3 scripts/manual.py "$binary" | gzip -n "-${level}" >"$usr/share/man/man1/sluice.1.gz"

# The packages that have the libraries, with the versions whose symbols are used.
mkdir -p "$work/shlibs/debian"
printf 'Source: sluice\n\nPackage: sluice\nArchitecture: %s\n' "$arch" >"$work/shlibs/debian/control"
depends=$(cd "$work/shlibs" && dpkg-shlibdeps -O ${trial:+--ignore-missing-info} "$usr/bin/sluice" 2>"$work/shlibs/log" |
    sed -n 's/^shlibs:Depends=//p') || { cat "$work/shlibs/log" >&2; exit 1; }

# The tarball.
name=sluice-$version-linux-$arch
mkdir "$work/$name"
cp -r "$usr/bin" "$usr/share" "$work/$name/"
install -m 644 LICENSE "$work/$name/LICENSE"
install -m 644 packaging/sluice.service "$work/$name/share/doc/sluice/sluice.service"
sed "s/@DEPENDS@/$depends/" packaging/INSTALL >"$work/$name/INSTALL"
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -C "$work" -c "$name" |
    gzip -n "-${level}" >"$out/$name.tar.gz"

# The Debian package.
root=$work/deb
mkdir -p "$root/DEBIAN" "$root/etc/sluice/graphs"
mv "$usr" "$root/usr"
install -D -m 644 packaging/sluice.service "$root/usr/lib/systemd/system/sluice.service"
install -m 644 LICENSE "$root/usr/share/doc/sluice/copyright"
"$binary" init "$work/first" >/dev/null
install -m 644 "$work/first/graphs/home.yaml" "$root/etc/sluice/graphs/home.yaml"
sed -e 's|^graphs: .*|graphs: /etc/sluice/graphs|' -e 's|^dataDir: .*|dataDir: /var/lib/sluice|' \
    -e 's|^dashboards: .*|dashboards: /var/lib/sluice/dashboards|' config/sluice.yaml >"$root/etc/sluice/sluice.yaml"
chmod 644 "$root/etc/sluice/sluice.yaml"
(cd "$root" && find etc -type f | sort | sed 's|^|/|') >"$root/DEBIAN/conffiles"
for script in postinst prerm postrm; do install "packaging/$script" "$root/DEBIAN/$script"; done
(cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
cat >"$root/DEBIAN/control" <<END
Package: sluice
Version: $version
Architecture: $arch
Maintainer: The Sluice authors <sluice@example.org>
Installed-Size: $(du -sk --exclude=DEBIAN "$root" | cut -f1)
Depends: $depends, adduser, init-system-helpers
Section: net
Priority: optional
Description: server for live values
 Sluice hosts named reactive graphs. Values set by HTTP flow through operators
 and expressions to clients that listen over WebSocket or server-sent events.
END
dpkg-deb --root-owner-group ${trial:+-Zgzip -z1} --build "$root" "$out/sluice_${version}_$arch.deb" >/dev/null
echo "$out/sluice_${version}_$arch.deb"
echo "$out/$name.tar.gz"
