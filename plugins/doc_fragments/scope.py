# Copyright: The scanops.scanner contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    # the option of plugins/module_utils/_scope/rules.py
    DOCUMENTATION = r"""
---
options:
  scope:
    description:
      - Restrict the names that may be targets, for example to those whose owner has agreed to be scanned. A name that
        is not in scope fails the task before any call, also in check mode. The scope does not apply with
        O(ignore:state=absent).
      - If not set, this option restricts nothing. Null, such as from an undefined variable, is refused for this option
        and its suboptions. For examples, see
        R(The authorised scope,ansible_collections.scanops.scanner.docsite.guide_declare.scope).
      - A name is in scope if O(scope.deny) denies nothing that the name covers and, with O(scope.allow), one entry
        allows all of it. A host covers all of its ports and URLs, a host with a port covers all URLs on it, and a URL
        covers everything below its path.
      - Every scope, even an empty one, refuses addresses that are not public (private, loopback, link-local,
        unspecified, multicast, reserved). It also refuses local names, which are V(localhost), names without a dot, and
        names that end in V(.local), V(.internal), V(.intranet), V(.private), V(.corp), V(.home), V(.lan),
        V(.localdomain), V(.localhost) or V(.home.arpa).
      - To permit such addresses and names, set O(scope.private=true), or add an entry to O(scope.allow) that matches
        nothing else, such as V(10.1.0.0/16), V(localhost) or V(http://127.0.0.1:8080/). V(*) and V(0.0.0.0/0) do not
        permit them.
      - The exact request is checked again when it is sent. This check uses the spelling of the live target if one
        exists, and the live name of a target given by id. Every URL in the request must be in scope, at any depth, such
        as a login page, a callback or a URL in C(tool_params). So must a bare host in a field whose name ends in
        C(host), C(url), C(domain), C(ip), C(target) or the like, and in the keys and values below it.
      - The C(webhook_url) of M(scanops.scanner.report) is not checked, because it receives a message and is not
        scanned.
      - Names are compared in their normalised form (case, trailing dot, IDNA, spelling of IPv6 addresses, default
        port). Only host names, IP addresses, and HTTP and HTTPS URLs can be in scope.
      - A name that programs interpret differently is refused. Examples are names with a backslash, white space, an
        invisible character or an encoded host, IPv4 addresses such as V(127.1) or V(0x7f.0.0.1), and ports such as
        V(0443). So are ranges such as V(10.0.0.1-254), and host names whose last label does not begin with a letter or
        contains an underscore.
      - An international name that IDNA 2003 and IDNA 2008 read differently, and an emoji domain, can be given in its
        V(xn--) form. O(scope.deny) also applies to the name that IDNA 2003 makes of an V(xn--) form, so
        V(xn--strae-oqa.example) is refused if V(strasse.example) is denied.
      - An IPv6 address that leads to an IPv4 address (IPv4-mapped, NAT64, 6to4, Teredo, ISATAP and the like) is also
        checked as that address. An address in V(64:ff9b:1::/48), NAT64 for local use, is checked as each address that
        it leads to under a prefix of 48, 56, 64 or 96 bits.
      - If the environment variable E(SCANNER_SCOPE_FILE) is set on the host on which the module runs, a name must be in
        scope by that file and by this option. The variable holds the absolute path of a YAML file (JSON without PyYAML)
        with the same three keys. A task can only narrow the scope of the file, never widen it. A file that is missing,
        unreadable, empty or invalid fails the task.
      - Danger - names are not resolved, and redirects are not checked. A host name that leads to a denied or private
        address is in scope if its name is, and a network entry matches no host names. Deny both the name and the
        address of what must not be scanned.
    type: dict
    suboptions:
      allow:
        description:
          - The entries that are in scope. Everything else is refused. If not set, everything that is not denied is
            allowed. An empty list refuses everything.
          - A domain such as V(example.com) matches the name and all names below it. V(*.example.com) matches only names
            below it, and V(*) matches everything.
          - An address or a network such as V(192.0.2.7), V(192.0.2.0/24) or V(2001:db8::/32) matches addresses.
          - Each of them can have a port or a range of ports, such as V(example.com:8443), V(*:443),
            V(192.0.2.0/24:8000-8099) or V([2001:db8::/32]:443). It then does not match a name without a port, which
            means all ports.
          - An HTTP or HTTPS URL such as V(https://example.com/shop) matches URLs with the same scheme, host and port,
            and with the same path or a path below it. It matches no subdomains. A path that servers may interpret as
            another one, such as one with V(..), V(//) or V(%2f), matches only a URL without a path or one of the
            entries above.
          - In YAML, quote entries that begin with V(*) or V([).
        type: list
        elements: str
      deny:
        description:
          - The entries that are out of scope, in the same formats. They take precedence over O(scope.allow).
          - A name that covers something denied is refused, too. V(*:22) refuses a name without a port.
            V(https://example.com/admin) refuses V(https://example.com/), because a scan of it reaches both.
          - The path of a denied URL is compared without regard to case, and for HTTP and HTTPS on the same port alike.
            On its host and port, any path that servers may interpret as another one is refused.
        type: list
        elements: str
      private:
        description:
          - Permit addresses that are not public, and local names. O(scope.allow) and O(scope.deny) still apply.
        type: bool
        default: false
"""

    # for modules whose option the fragment above describes, in scanops.scanner.targets
    SHORT = r"""
---
options:
  scope:
    description:
      - Restrict the names that may be targets. A name that is not in scope fails the task before any call, also in check
        mode. Every URL and host in the request must be in scope, too. The scope does not apply with
        O(ignore:state=absent).
      - If not set, this option restricts nothing, but the file that E(SCANNER_SCOPE_FILE) names on the host on which the
        module runs does. A task can only narrow the scope of that file. Null is refused.
      - Every scope, even an empty one, refuses addresses that are not public and local names, unless
        O(scope.private=true) or an entry of O(scope.allow) permits them.
      - All rules are at O(scanops.scanner.targets#module:scope), and examples in
        R(the guide,ansible_collections.scanops.scanner.docsite.guide_declare.scope).
      - Danger - names are not resolved, and redirects are not checked. A host name that leads to a denied or private
        address is in scope if its name is. Deny both the name and the address of what must not be scanned.
    type: dict
    suboptions:
      allow:
        description:
          - The entries that are in scope, such as V(example.com) with the names below it, V(192.0.2.0/24),
            V(example.com:8443) or V(https://example.com/shop). Everything else is refused. If not set, everything that
            is not denied is allowed.
        type: list
        elements: str
      deny:
        description:
          - The entries that are out of scope, in the same formats. They take precedence over O(scope.allow), and refuse
            a name that covers something denied, too.
        type: list
        elements: str
      private:
        description:
          - Permit addresses that are not public, and local names. O(scope.allow) and O(scope.deny) still apply.
        type: bool
        default: false
"""
