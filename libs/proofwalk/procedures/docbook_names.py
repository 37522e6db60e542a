"""The names of DocBook's elements, by what a reader sees of them."""

from __future__ import annotations


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


SECTIONS = _names(
    "set book part reference preface chapter article appendix section sect1 sect2 sect3 sect4"
    " sect5 simplesect topic refentry refsection refsect1 refsect2 refsect3 partintro"
)
DROPPED = _names(
    "- indexterm remark footnote anchor annotation alt shortcut toc index bibliography glossary"
    " include fallback titleabbrev subtitle authorgroup revhistory textobject area areaspec co"
)
NOTES = _names("note tip warning caution important danger sidebar")
CODE_BLOCKS = _names("screen programlisting literallayout synopsis cmdsynopsis")
FIGURES = _names("figure informalfigure mediaobject mediaobjectco screenshot graphic")
TABLES = _names("table informaltable")
LISTS = {
    "orderedlist": ("listitem",),
    "substeps": ("step",),
    "itemizedlist": ("listitem",),
    "stepalternatives": ("step",),
    "simplelist": ("member",),
    "calloutlist": ("callout",),
    "variablelist": ("varlistentry",),
}
"""The lists, each with the name of its items."""
ORDERED = _names("orderedlist substeps")
TEXTS = _names(
    "para simpara formalpara blockquote epigraph informalexample qandaset qandadiv qandaentry"
    " question answer result listitem term abstract legalnotice"
)
STRONG = _names(
    "guimenu guimenuitem guisubmenu guibutton guilabel guiicon interfacename menuchoice keycap"
    " keycombo keysym accel"
)
CODE = _names(
    "literal command filename option code userinput computeroutput systemitem varname parameter"
    " constant envar prompt replaceable property classname function tag uri email"
)
JOINED = {"menuchoice": " > ", "keycombo": "+"}
"""What stands between the parts of these elements."""
