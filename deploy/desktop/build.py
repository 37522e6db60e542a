"""Makes the desktop's image of Debian packages: `python -m deploy.desktop.build --out
build/desktop`, as root.

    packages   mmdebstrap installs them into a folder, and `guest/` with them
    disk       mkfs.ext4 -d makes a file system of the folder
    boot       a machine starts on it, under KVM where a guest comes up so, else under TCG
    state      when the desktop stands still, memory and devices are saved, and the disk as it is then

What was made from the same packages' names and the same `guest/` is not made again;
Debian's updates come with `--again`. Needs mmdebstrap, e2fsprogs, qemu-utils,
qemu-system-x86, zstd. MMDEBSTRAP_SOURCES and MMDEBSTRAP_FLAGS are as for
`deploy/images/base.sh`.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from proofwalk.desktop.image import Image
from proofwalk.desktop.machine import Machine
from proofwalk.desktop.seat import Seat
from proofwalk.kernel.errors import ProofwalkError

HERE = Path(__file__).parent
SUITE = "bookworm"
PACKAGES = (
    # a system
    *(
        "linux-image-amd64",
        "systemd-sysv",
        "udev",
        "dbus",
        "dbus-daemon",
        "procps",
        "util-linux",
        "qemu-guest-agent",
    ),
    # a desktop
    *(
        "xserver-xorg-core",
        "xserver-xorg-input-libinput",
        "xinit",
        "x11-xserver-utils",
        "x11-xkb-utils",
        "openbox",
        "tint2",
    ),
    *("fonts-dejavu-core", "fonts-wqy-microhei"),
    # eyes and hands
    *(
        "at-spi2-core",
        "python3",
        "python3-gi",
        "python3-xlib",
        "gir1.2-atspi-2.0",
        "xclip",
        "wmctrl",
        "xdotool",
    ),
    # programs
    *("xterm", "mousepad", "mupdf", "poppler-utils"),
)
UNITS_OFF = (
    "apt-daily.timer",
    "apt-daily-upgrade.timer",
    "dpkg-db-backup.timer",
    "e2scrub_all.timer",
    "fstrim.timer",
    "systemd-timesyncd.service",
)
MACHINE = "pc-q35-7.2"
MEMORY_MB = 768
SCREEN = (1280, 800)
DISK = "4G"
BOOT_S = {"kvm": 60.0, "tcg": 600.0}
STILL_S = 6.0
"""For so long nothing moves on a desktop that has come up."""


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(description="Make the desktop's image.")
    parser.add_argument("--out", type=Path, default=Path("build/desktop"))
    parser.add_argument(
        "--again", action="store_true", help="although there is one that was made from the same"
    )
    parser.add_argument(
        "--tcg",
        action="store_true",
        help="for machines without KVM, as pods are, whatever this one has",
    )
    given = parser.parse_args()
    version, known = digest(), _known(given.out)
    if (
        known
        and known.version == version
        and not given.again
        and not (given.tcg and known.accelerator == "kvm")
    ):
        print(f"{given.out}: {known.version} is there, for {known.accelerator}")
        return
    missing = [
        name
        for name in ("mmdebstrap", "mkfs.ext4", "qemu-img", "qemu-system-x86_64", "zstd")
        if shutil.which(name) is None
    ]
    if missing:
        sys.exit(
            f"There is no {missing[0]}: apt-get install mmdebstrap e2fsprogs qemu-utils"
            " qemu-system-x86 zstd"
        )
    if os.geteuid():
        sys.exit("The image's files belong to root: run this as root")
    shutil.rmtree(given.out, ignore_errors=True)
    given.out.mkdir(parents=True)
    began = time.monotonic()
    image = Image(
        folder=given.out.absolute(),
        version=version,
        machine=MACHINE,
        accelerator="tcg",
        processor="max",
        memory_mb=MEMORY_MB,
        cpus=1,
        screen=SCREEN,
    )
    with tempfile.TemporaryDirectory(prefix="proofwalk-desktop-", dir=given.out) as name:
        work = Path(name)
        _install(work / "root")
        print(f"packages: {time.monotonic() - began:.0f} s", flush=True)
        _disk(work / "root", image, work)
        shutil.rmtree(work / "root")
        print(f"disk: {time.monotonic() - began:.0f} s", flush=True)
        asyncio.run(
            _boot(image, work, kvm=not given.tcg and os.access("/dev/kvm", os.R_OK | os.W_OK))
        )
    size = sum(file.stat().st_size for file in given.out.iterdir()) / 1e6
    print(f"{given.out}: {version}, {size:.0f} MB, {time.monotonic() - began:.0f} s")


def digest() -> str:
    """Of everything that the image is made from, but for what Debian's packages hold on
    the day."""
    total = hashlib.sha256(
        repr((SUITE, PACKAGES, UNITS_OFF, MACHINE, MEMORY_MB, SCREEN, DISK)).encode()
    )
    for file in sorted((HERE / "guest").iterdir()):
        total.update(file.name.encode() + b"\0" + file.read_bytes())
    return total.hexdigest()[:12]


def _known(out: Path) -> Image | None:
    try:
        return Image.read(out)
    except ProofwalkError:
        return None


def _install(root: Path) -> None:
    """The system in a folder."""
    guest = HERE / "guest"
    places = {
        "eyes.py": "/usr/local/lib/desktop/eyes.py",
        "session": "/usr/local/lib/desktop/session",
        "desktop.service": "/etc/systemd/system/desktop.service",
        "90-eyes.rules": "/etc/udev/rules.d/90-eyes.rules",
        "xorg.conf": "/etc/X11/xorg.conf.d/10-desktop.conf",
    }
    hooks = ['mkdir -p "$1/usr/local/lib/desktop" "$1/etc/X11/xorg.conf.d"']
    hooks += [f'cp {shlex.quote(str(guest / name))} "$1{place}"' for name, place in places.items()]
    hooks += [
        'chmod 755 "$1/usr/local/lib/desktop/session"',
        'chroot "$1" useradd --create-home --uid 1000 --shell /bin/bash agent',
        'echo desktop > "$1/etc/hostname"',
        'echo "127.0.0.1 localhost desktop" > "$1/etc/hosts"',
        'echo "/dev/vda / ext4 rw,noatime 0 1" > "$1/etc/fstab"',
        'chroot "$1" systemctl enable desktop.service qemu-guest-agent.service',
        f'chroot "$1" systemctl mask {" ".join(UNITS_OFF)} getty@tty1.service',
        (
            'mkdir -p "$1/etc/systemd/journald.conf.d"; printf "[Journal]\\nStorage=volatile\\n" >'
            ' "$1/etc/systemd/journald.conf.d/volatile.conf"'
        ),
        (
            'rm -rf "$1/var/cache/apt" "$1/var/lib/apt/lists"; mkdir -p'
            ' "$1/var/cache/apt/archives/partial"'
        ),
    ]
    asked = [
        "mmdebstrap",
        "--quiet",
        "--mode=root",
        "--variant=minbase",
        f"--include={','.join(PACKAGES)}",
    ]
    asked += [
        f"--dpkgopt=path-exclude=/usr/share/{part}/*" for part in ("man", "locale", "doc", "help")
    ]
    asked += ["--dpkgopt=path-include=/usr/share/doc/*/copyright"]
    asked += [f"--customize-hook={hook}" for hook in hooks]
    asked += shlex.split(os.environ.get("MMDEBSTRAP_FLAGS", ""))
    sources = os.environ.get("MMDEBSTRAP_SOURCES", "")
    subprocess.run([*asked, SUITE, str(root), *([sources] if sources else [])], check=True)


def _disk(root: Path, image: Image, work: Path) -> None:
    """The folder as a disk, and the kernel beside it."""
    for name, to in (("vmlinuz", image.kernel), ("initrd.img", image.initrd)):
        shutil.copyfile(_newest(root / "boot", name.removesuffix(".img")), to)
    raw = work / "disk.raw"
    subprocess.run(
        ["mkfs.ext4", "-q", "-F", "-L", "desktop", "-d", str(root), str(raw), DISK], check=True
    )
    subprocess.run(
        ["qemu-img", "convert", "-q", "-O", "qcow2", str(raw), str(image.disk)], check=True
    )
    raw.unlink()


def _newest(boot: Path, name: str) -> Path:
    """The kernel, or what belongs to it, of the highest version."""
    found = list(boot.glob(f"{name}*-*"))
    if not found:
        sys.exit(f"The installed system has no {name} in /boot")
    return max(found, key=lambda file: [int(part) for part in re.findall(r"\d+", file.name)])


async def _boot(image: Image, work: Path, *, kvm: bool) -> None:
    """Start it, wait until it stands still, save it."""
    machine: Machine | None = None
    if kvm:
        # The file may be there and guests hang all the same: only one that came up
        # proves anything.
        try:
            image = replace(image, accelerator="kvm", processor="host")
            machine = await Machine.start(image, folder=work / "machine", boots=True)
            await (await machine.seat(within_s=BOOT_S["kvm"])).leave()
        except ProofwalkError as error:
            if machine is not None:
                await machine.end()
                machine = None
            print(f"no KVM: {error.message}", flush=True)
            image = replace(image, accelerator="tcg", processor="max")
    if machine is None:
        machine = await Machine.start(image, folder=work / "machine", boots=True)
    try:
        seat = await machine.seat(within_s=BOOT_S["tcg"])
        await _at_rest(seat)
        await seat.leave()
        saved = await machine.save(work / "saved")
    finally:
        await machine.end()
    flat = work / "flat.qcow2"
    asked = [
        "qemu-img",
        "convert",
        "-q",
        "-O",
        "qcow2",
        "-c",
        "-o",
        "compression_type=zstd",
        str(saved.disk),
        str(flat),
    ]
    await asyncio.to_thread(subprocess.run, asked, check=True)
    flat.replace(image.disk)
    await asyncio.to_thread(shutil.move, saved.state, image.state)
    image.write()


async def _at_rest(seat: Seat) -> None:
    """Until systemd has nothing more to start and the screen has not changed for a
    while."""
    await seat.guest.run(
        ["/usr/bin/systemctl", "is-system-running", "--wait"], user="root", within_s=BOOT_S["tcg"]
    )
    # Programs' first start is the slow one: what they read stays in the saved memory.
    for program in (["/usr/bin/mousepad"], ["/usr/bin/xterm"]):
        await seat.guest.start(program)
    until = asyncio.get_running_loop().time() + BOOT_S["tcg"]
    while len((await seat.guest.look()).windows) < 1 and asyncio.get_running_loop().time() < until:  # noqa: ASYNC110  # nobody announces it
        await asyncio.sleep(1)
    await seat.guest.run(["/usr/bin/pkill", "-x", "mousepad|xterm"], user="root")
    last, since = b"", asyncio.get_running_loop().time()
    while asyncio.get_running_loop().time() - since < STILL_S:
        await asyncio.sleep(1)
        now = await seat.screenshot()
        if now != last:
            last, since = now, asyncio.get_running_loop().time()
    await seat.guest.run(["/usr/bin/sync"], user="root")


if __name__ == "__main__":
    main()
