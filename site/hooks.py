# Copyright The DecLock authors
# SPDX-License-Identifier: Apache-2.0
"""
What the pages need before MkDocs reads them. They are written as GitHub shows them: a list may follow a paragraph without an empty line, a list
in a list is indented by three spaces, and links may lead to files of the repository outside of docs, which the site does not have.
"""

import posixpath
import re

# Text in brackets followed by a relative target in parentheses.
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?!https?://|#|mailto:)([^()\s]+)\)")
ITEM = re.compile(r"^( {0,3})([*-]|\d+\.) ")


def on_page_markdown(markdown, page, **_):
    """Returns the text of a page as MkDocs needs it."""
    return lists(links(markdown, posixpath.dirname(page.file.src_path)))


def links(markdown, folder):
    """Leaves only the text of links that lead out of docs."""

    def without_target(match):
        target = posixpath.normpath(posixpath.join(folder, match.group(2).split("#")[0]))
        return match.group(1) if target.startswith("..") else match.group(0)

    return LINK.sub(without_target, markdown)


def lists(markdown):
    """Puts an empty line before each list, and indents lists in lists by four spaces. Leaves blocks of code alone."""
    lines = []
    in_code = False
    in_list = False
    for line in markdown.split("\n"):
        if line.lstrip().startswith("```"):
            in_code = not in_code
        item = None if in_code else ITEM.match(line)
        if item and item.group(1) == "   ":
            line = " " + line
        if item and not in_list and lines and lines[-1].strip():
            lines.append("")
        if item:
            in_list = True
        elif not line.strip() or not line.startswith(" "):
            in_list = False
        lines.append(line)
    return "\n".join(lines)
