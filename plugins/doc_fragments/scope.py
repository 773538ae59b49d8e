# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    # the option of plugins/module_utils/_scope.py
    DOCUMENTATION = r"""
---
options:
  scope:
    description:
      - What may be a target at all, for example because its owner has agreed to be scanned. A name that is not in scope
        fails the task before any call, in check mode too. With O(ignore:state=absent) it is not looked at.
      - The exact request is judged once more when it is sent. That is the name that the service gets, in the spelling
        of the live target where one exists, and the live name of a target that is given by id. Every URL in the request
        must be in scope too, however deep it is nested, such as a login page, a callback or a URL in C(tool_params). So
        must a bare host in a field whose name ends in C(host), C(url), C(domain), C(ip), C(target) or the like.
      - C(webhook_url) of M(scanops.scanner.report) is not judged. It receives a message and is not scanned.
      - Null, as an unset variable gives it, is refused for this option and for what is in it; it does not mean that
        there is no scope.
      - A host means all of its ports and URLs, a host with a port all URLs on it, and a URL all that is below its path.
        A name is in scope when nothing of that is denied and, where O(scope.allow) is given, one entry of it covers all
        of that.
      - Where a scope is given, be it empty, addresses that are not public are refused (private, loopback, link-local,
        unspecified, multicast, reserved), and so are local names (V(localhost), names without a dot, and those that end
        in V(.local), V(.internal), V(.intranet), V(.private), V(.corp), V(.home), V(.lan), V(.localdomain),
        V(.localhost) or V(.home.arpa)). O(scope.private=true) permits them, and so does an entry of O(scope.allow) that
        names nothing else, such as V(10.1.0.0/16), V(localhost) or V(http://127.0.0.1:8080/). V(*) and V(0.0.0.0/0) do
        not.
      - Names are compared in their normal form (case, trailing dot, IDNA, spelling of IPv6 addresses, default port). A
        name that programs read differently is refused, such as one with a backslash, white space, an invisible
        character, an encoded host, an IPv4 address like V(127.1) or V(0x7f.0.0.1), or a port V(0443). Only host names,
        IP addresses and http and https URLs are in scope.
      - A range such as V(10.0.0.1-254) is no name. The last label of a host name begins with a letter and has no
        underscore.
      - An international name that IDNA 2003 and IDNA 2008 read differently, and an emoji domain, can be given in its
        V(xn--) form. O(scope.deny) refuses an V(xn--) form also for the name that IDNA 2003 makes of it.
        V(xn--strae-oqa.example) is refused where V(strasse.example) is denied.
      - An IPv6 address that leads to an IPv4 address (IPv4-mapped, NAT64, 6to4, Teredo, ISATAP and the like) is judged
        as that address too. An address in V(64:ff9b:1::/48), NAT64 for local use, is judged as each address that it
        leads to under a prefix of 48, 56, 64 or 96 bits.
      - No name is resolved. A host name that leads to a denied or private address is in scope if its name is, what a
        redirect leads to is not looked at, and an entry that is a network covers no host names. Deny what must not be
        scanned by name and by address.
      - If the environment variable E(SCANNER_SCOPE_FILE) is set on the host on which the module runs, it is the
        absolute path of a YAML file with the same three keys at its top (JSON where PyYAML is not installed there), and
        a name must be in scope by the file and by this option, each for itself. No task can lift a denial of the file,
        add to what it allows, or permit the addresses that it does not permit. A file that is missing, unreadable,
        empty or wrong fails the task.
    type: dict
    suboptions:
      allow:
        description:
          - Entries, with which all else is refused. An empty list refuses everything. Left out, all is allowed that is
            not denied.
          - A domain, V(example.com), covers the name itself and all names below it. V(*.example.com) covers only what
            is below it, and V(*) everything.
          - An address or a network, V(192.0.2.7), V(192.0.2.0/24), V(2001:db8::/32).
          - Each of them may have a port or a range of ports, V(example.com:8443), V(*:443), V(192.0.2.0/24:8000-8099),
            V([2001:db8::/32]:443). It does not cover a name without a port, which means all ports.
          - An http or https URL, V(https://example.com/shop), covers the URLs with the same scheme, host and port whose
            path is the same or goes on after a slash; no subdomains. A path that servers may understand as another one,
            such as one with V(..), V(//) or V(%2f), is covered only by a URL without a path or by one of the entries
            above.
          - In YAML, put entries that begin with V(*) or V([) in quotes.
        type: list
        elements: str
      deny:
        description:
          - Entries in the same forms. What they cover is refused whatever O(scope.allow) says.
          - A name that covers something denied is refused as well. With V(*:22), a name without a port is refused, and
            with V(https://example.com/admin), V(https://example.com/) is, since a scan of it reaches both.
          - The path of a URL is compared without regard to case, and for http and https on the same port alike. Any
            path that servers may understand as another one is refused on a host and port with a denied URL.
        type: list
        elements: str
      private:
        description:
          - Permit addresses that are not public, and local names. O(scope.allow) and O(scope.deny) still count.
        type: bool
        default: false
"""
