"""Lives in the desktop's session and answers over a virtio port: what the windows show
(AT-SPI), and a clipboard that knows when it was taken.

    {"execute": "look"}                          {"return": {"nodes": […], "windows": […], "cut": false}}
    {"execute": "offer", "arguments": {"text": …}}   own PRIMARY and CLIPBOARD with this text
    {"execute": "taken"}                         {"return": true} once somebody took it
    {"execute": "guest-sync-delimited", …}       as QEMU's guest agent answers it

Runs on the guest's own Python with Debian's gi and Xlib; nothing of Proofwalk is there.
One thread: X events are served between two requests and while nothing is asked. A
program that hangs is not waited for (AT-SPI's own timeout), and what it would have said
is missing.
"""

import json
import os
import select
import sys

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi  # noqa: E402
from Xlib import X, Xatom, display  # noqa: E402
from Xlib.protocol import event  # noqa: E402

PORT = "/dev/virtio-ports/org.proofwalk.eyes.0"
MOST_NODES = 1500
MOST_DEPTH = 40
MOST_TEXT = 4000
TIMEOUT_MS = 1500
SHOWN = {
    Atspi.StateType.CHECKED: "checked",
    Atspi.StateType.SELECTED: "selected",
    Atspi.StateType.EXPANDED: "expanded",
    Atspi.StateType.EXPANDABLE: "expandable",
    Atspi.StateType.FOCUSED: "focused",
    Atspi.StateType.PRESSED: "pressed",
    Atspi.StateType.READ_ONLY: "read-only",
    Atspi.StateType.REQUIRED: "required",
    Atspi.StateType.SENSITIVE: "sensitive",
    Atspi.StateType.EDITABLE: "editable",
}
CONTAINERS = {
    "frame",
    "filler",
    "panel",
    "scroll pane",
    "menu bar",
    "application",
    "viewport",
    "split pane",
    "layered pane",
    "root pane",
    "page tab list",
    "tool bar",
    "table",
    "tree table",
    "list",
    "separator",
    "scroll bar",
}
PRESSED = {
    "push button",
    "button",
    "toggle button",
    "check box",
    "radio button",
    "menu item",
    "menu",
    "check menu item",
    "radio menu item",
    "entry",
    "text",
    "password text",
    "terminal",
    "combo box",
    "list item",
    "table cell",
    "page tab",
    "link",
    "slider",
    "spin button",
    "switch",
    "icon",
    "tree item",
}


class Tree:
    """What is showing, depth first."""

    def __init__(self):
        self.nodes = []
        self.windows = []
        self.cut = False

    def look(self):
        desktop = Atspi.get_desktop(0)
        active, others = [], []
        for number in range(desktop.get_child_count()):
            program = desktop.get_child_at_index(number)
            if program is None:
                continue
            name = self._said(program.get_name) or ""
            for index in range(self._said(program.get_child_count) or 0):
                window = self._said(program.get_child_at_index, index)
                if window is None:
                    continue
                states = self._said(window.get_state_set)
                if states is None or not states.contains(Atspi.StateType.SHOWING):
                    continue
                title = self._said(window.get_name) or name
                (active if states.contains(Atspi.StateType.ACTIVE) else others).append(title)
                self._walk(window, program=name, window=title, path=f"{index}", depth=0)
        self.windows = active + others
        return {"nodes": self.nodes, "windows": self.windows, "cut": self.cut}

    def _walk(self, node, *, program, window, path, depth):
        if len(self.nodes) >= MOST_NODES or depth > MOST_DEPTH:
            self.cut = True
            return
        states = self._said(node.get_state_set)
        if states is None or not states.contains(Atspi.StateType.SHOWING):
            return
        role = self._said(node.get_role_name) or ""
        if role not in CONTAINERS:
            self._add(node, role, states, program, window, path)
        if states.contains(Atspi.StateType.MANAGES_DESCENDANTS):
            # A large table makes its cells as they are asked for: those on the screen
            # are enough.
            self._cells(node, program, window, path)
            return
        for index in range(self._said(node.get_child_count) or 0):
            child = self._said(node.get_child_at_index, index)
            if child is not None:
                self._walk(
                    child, program=program, window=window, path=f"{path}.{index}", depth=depth + 1
                )

    def _cells(self, node, program, window, path):
        component = self._said(node.get_component_iface)
        box = component and self._said(component.get_extents, Atspi.CoordType.SCREEN)
        if not box:
            return
        seen = set()
        for y in range(box.y + 4, box.y + box.height, 12):
            for x in range(box.x + 8, box.x + box.width, 80):
                cell = self._said(component.get_accessible_at_point, x, y, Atspi.CoordType.SCREEN)
                index = cell is not None and self._said(cell.get_index_in_parent)
                if cell is None or index in seen:
                    continue
                seen.add(index)
                states = self._said(cell.get_state_set)
                if states is not None:
                    self._add(
                        cell,
                        self._said(cell.get_role_name) or "",
                        states,
                        program,
                        window,
                        f"{path}.{index}",
                    )

    def _add(self, node, role, states, program, window, path):
        component = self._said(node.get_component_iface)
        box = component and self._said(component.get_extents, Atspi.CoordType.SCREEN)
        if not box or box.width <= 0 or box.height <= 0:
            return
        self.nodes.append(
            {
                "role": role,
                "name": (self._said(node.get_name) or "")[:MOST_TEXT],
                "text": self._text(node, role),
                "box": [box.x, box.y, box.width, box.height],
                "states": [name for state, name in SHOWN.items() if states.contains(state)],
                "window": window,
                "program": program,
                "actions": role in PRESSED or states.contains(Atspi.StateType.EDITABLE),
                "path": path,
            }
        )

    def _text(self, node, role):
        if role == "password text":
            return ""
        text = self._said(node.get_text_iface)
        if text is not None:
            length = self._said(text.get_character_count) or 0
            return (self._said(text.get_text, 0, min(length, MOST_TEXT)) or "").replace(
                "\ufffc", ""
            )
        value = self._said(node.get_value_iface) if role in ("slider", "spin button") else None
        return "" if value is None else f"{self._said(value.get_current_value) or 0:g}"

    @staticmethod
    def _said(ask, *arguments):
        """What a program answers; None when it does not."""
        try:
            return ask(*arguments)
        except Exception:  # GLib's errors have no common name: a program that went away, hangs, or has no such interface
            return None


class Clipboard:
    """Owns both selections with one text, and counts who took it."""

    def __init__(self):
        self.display = display.Display()
        root = self.display.screen().root
        self.window = root.create_window(0, 0, 1, 1, 0, X.CopyFromParent)
        atom = self.display.intern_atom
        self.selections = (atom("PRIMARY"), atom("CLIPBOARD"))
        self.utf8, self.targets = atom("UTF8_STRING"), atom("TARGETS")
        self.texts = (
            self.utf8,
            atom("text/plain;charset=utf-8"),
            atom("text/plain"),
            Xatom.STRING,
            atom("TEXT"),
        )
        self.text = b""
        self.taken = False

    def offer(self, text):
        self.text, self.taken = text.encode(), False
        for selection in self.selections:
            self.window.set_selection_owner(selection, X.CurrentTime)
        self.display.flush()
        self.serve()

    def serve(self):
        """Answer everybody who asks."""
        while self.display.pending_events():
            got = self.display.next_event()
            if got.type == X.SelectionRequest:
                self._hand_over(got)

    def _hand_over(self, asked):
        place = asked.property or asked.target
        if asked.target == self.targets:
            asked.requestor.change_property(place, Xatom.ATOM, 32, [self.targets, *self.texts])
        elif asked.target in self.texts:
            kind = self.utf8 if asked.target in (self.utf8, self.texts[4]) else asked.target
            asked.requestor.change_property(place, kind, 8, self.text)
        else:
            place = X.NONE
        told = event.SelectionNotify(
            time=asked.time,
            requestor=asked.requestor,
            selection=asked.selection,
            target=asked.target,
            property=place,
        )
        asked.requestor.send_event(told)
        self.display.flush()
        if asked.target in self.texts:
            self.taken = True


def answer(asked, clipboard):
    command, arguments = asked.get("execute"), asked.get("arguments", {})
    if command == "look":
        return Tree().look()
    if command == "offer":
        return clipboard.offer(arguments["text"]) or {}
    if command == "taken":
        clipboard.serve()
        return clipboard.taken
    raise ValueError(f"there is no {command!r}")


def main():
    Atspi.init()
    Atspi.set_timeout(TIMEOUT_MS, TIMEOUT_MS)
    clipboard = Clipboard()
    port = os.open(PORT, os.O_RDWR | os.O_NONBLOCK)
    poll = select.poll()
    poll.register(port, select.POLLIN)
    poll.register(clipboard.display.fileno(), select.POLLIN)
    left = b""
    while True:
        clipboard.serve()
        ready = dict(poll.poll(1000))
        if ready.get(port, 0) & select.POLLHUP and not ready[port] & select.POLLIN:
            # Nobody is at the other end yet.
            poll.unregister(port)
            select.poll().poll(100)
            poll.register(port, select.POLLIN)
            continue
        if port not in ready:
            continue
        try:
            left += os.read(port, 65536)
        except BlockingIOError:
            continue
        *lines, left = left.split(b"\n")
        for line in lines:
            send(port, reply(line.replace(b"\xff", b""), clipboard))


def reply(line, clipboard):
    try:
        asked = json.loads(line)
        if asked.get("execute") == "guest-sync-delimited":
            return b"\xff" + json.dumps({"return": asked["arguments"]["id"]}).encode() + b"\n"
        return json.dumps({"return": answer(asked, clipboard)}).encode() + b"\n"
    except Exception as error:  # told to who asked, and the next request is answered
        print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
        return (
            json.dumps({"error": {"class": type(error).__name__, "desc": str(error)}}).encode()
            + b"\n"
        )


def send(port, data):
    while data:
        try:
            data = data[os.write(port, data) :]
        except BlockingIOError:
            writable = select.poll()
            writable.register(port, select.POLLOUT)
            writable.poll(5000)


if __name__ == "__main__":
    main()
