"""Names in a reStructuredText document: what its references and substitutions stand
for."""

from __future__ import annotations

from docutils import nodes as dn


class Names:
    """The targets of a document's references: addresses by name, anonymous ones in
    order, and substitutions."""

    def __init__(self, tree: dn.document) -> None:
        self._addresses: dict[str, str] = {}
        anonymous: list[str] = []
        for target in tree.findall(dn.target):
            address = str(target.get("refuri", ""))
            if target.get("anonymous"):
                anonymous.append(address)
            self._addresses.update({str(name): address for name in target["names"]})
        waiting = [
            one
            for one in tree.findall(dn.reference)
            if one.get("anonymous") and not one.get("refuri")
        ]
        self._anonymous = {
            id(one): address for one, address in zip(waiting, anonymous, strict=False)
        }
        self._substitutions = dict(tree.substitution_defs)
        self._names = dict(tree.substitution_names)

    def address(self, node: dn.reference) -> str:
        """Return the address of a reference that leads outside the document; else
        empty."""
        own = node.get("refuri") or self._addresses.get(str(node.get("refname", "")))
        return str(own or self._anonymous.get(id(node), ""))

    def substitution(self, node: dn.substitution_reference) -> dn.Element | None:
        """Return the content for a substitution reference, or None."""
        name = str(node.get("refname", ""))
        found = self._substitutions.get(name) or self._substitutions.get(
            self._names.get(name.lower(), "")
        )
        return found if isinstance(found, dn.Element) else None
