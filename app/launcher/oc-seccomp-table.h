/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The one table of system calls the sandbox refuses, one a line, each with its reason. Read by oc-seccomp-gen.c at build time.
 *
 * RULE (filter, call, errno, condition, reason)
 *   filter:    ALWAYS, or NO_NETWORK / NETWORK for one of the two filters
 *   errno:     EPERM where programs expect it, ENOSYS where they have a fallback, EACCES for the network, 0 for "done" without
 *              doing anything
 *   condition: ANY; EQUAL (argument, mask, value): (argument & mask) == value; ABOVE, BELOW (argument, value): all 64 bits, so bits above an int are refused
 *              BETWEEN (argument, low, high): neither of the two; SET_ID (argument): a mode with set-id bits; MAKES_SET_ID (flags,
 *              argument): the same where the flags ask for a new file
 *              An ioctl request and a socket's type are 32 bits wide in the kernel: high bits must not slip by (CVE-2019-10063).
 *
 * What is not here is allowed up to LAST_NUMBER. Every number above it is answered with ENOSYS: a call this table's writer had
 * not heard of is refused (the lesson of CVE-2021-41133). */

#define LAST_NUMBER 466 /* removexattrat, Linux 6.13; numbers have been the same on all architectures since 424 */

/* Namespaces and mounts: the way back out. */
RULE (ALWAYS, "unshare", EPERM, ANY, "new namespaces bring new capabilities and a great deal of kernel code")
RULE (ALWAYS, "setns", EPERM, ANY, "joining another namespace")
RULE (ALWAYS, "clone", EPERM, EQUAL (0, CLONE_NEWUSER, CLONE_NEWUSER), "a user namespace brings capabilities")
RULE (ALWAYS, "clone", EPERM, EQUAL (0, CLONE_NEWNS, CLONE_NEWNS), "as unshare")
RULE (ALWAYS, "clone", EPERM, EQUAL (0, CLONE_NEWPID, CLONE_NEWPID), "as unshare")
RULE (ALWAYS, "clone", EPERM, EQUAL (0, CLONE_NEWNET, CLONE_NEWNET), "as unshare")
RULE (ALWAYS, "clone", EPERM, EQUAL (0, CLONE_NEWIPC, CLONE_NEWIPC), "as unshare")
RULE (ALWAYS, "clone", EPERM, EQUAL (0, CLONE_NEWUTS, CLONE_NEWUTS), "as unshare")
RULE (ALWAYS, "clone", EPERM, EQUAL (0, CLONE_NEWCGROUP, CLONE_NEWCGROUP), "as unshare")
RULE (ALWAYS, "clone3", ENOSYS, ANY, "its flags lie in memory, where a filter cannot look (CVE-2021-41133)")
RULE (ALWAYS, "mount", EPERM, ANY, "changes what is read-only or masked")
RULE (ALWAYS, "umount2", EPERM, ANY, "uncovers what is masked")
RULE (ALWAYS, "pivot_root", EPERM, ANY, "uncovers what is masked")
RULE (ALWAYS, "chroot", EPERM, ANY, "with a folder held open, a way around the root")
RULE (ALWAYS, "open_tree", ENOSYS, ANY, "new mount API (CVE-2021-41133)")
RULE (ALWAYS, "move_mount", ENOSYS, ANY, "new mount API (CVE-2021-41133)")
RULE (ALWAYS, "fsopen", ENOSYS, ANY, "new mount API (CVE-2021-41133); CVE-2022-0185 was in it")
RULE (ALWAYS, "fsconfig", ENOSYS, ANY, "new mount API; CVE-2022-0185")
RULE (ALWAYS, "fsmount", ENOSYS, ANY, "new mount API (CVE-2021-41133)")
RULE (ALWAYS, "fspick", ENOSYS, ANY, "new mount API (CVE-2021-41133)")
RULE (ALWAYS, "mount_setattr", ENOSYS, ANY, "new mount API (CVE-2021-41133)")
RULE_NUMBER (ALWAYS, 457, ENOSYS, "statmount: other mount namespaces' mounts")
RULE_NUMBER (ALWAYS, 458, ENOSYS, "listmount: other mount namespaces' mounts")

/* Other processes. */
RULE (ALWAYS, "ptrace", EPERM, ANY, "reading and steering other processes; a long row of kernel faults")
RULE (ALWAYS, "process_vm_readv", EPERM, ANY, "reading another process's memory")
RULE (ALWAYS, "process_vm_writev", EPERM, ANY, "writing another process's memory")
RULE (ALWAYS, "process_madvise", EPERM, ANY, "acting on another process's memory")
RULE (ALWAYS, "pidfd_getfd", EPERM, ANY, "taking another process's descriptors")
RULE (ALWAYS, "kcmp", EPERM, ANY, "tells kernel addresses apart")
RULE (ALWAYS, "move_pages", EPERM, ANY, "another process's memory; tells addresses (CVE-2010-0415)")
RULE (ALWAYS, "migrate_pages", EPERM, ANY, "another process's memory")
RULE (ALWAYS, "mbind", EPERM, ANY, "memory policy: large and seldom tried code (CVE-2016-10044's neighbours)")
RULE (ALWAYS, "set_mempolicy", EPERM, ANY, "memory policy, as mbind")
RULE (ALWAYS, "get_mempolicy", EPERM, ANY, "memory policy, as mbind")
RULE (ALWAYS, "personality", EPERM, ABOVE (0, 0), "READ_IMPLIES_EXEC and ADDR_NO_RANDOMIZE take protections away")

/* Terminals. */
RULE (ALWAYS, "ioctl", EPERM, EQUAL (1, 0xffffffff, TIOCSTI), "types into the terminal (CVE-2017-5226, CVE-2019-10063)")
RULE (ALWAYS, "ioctl", EPERM, EQUAL (1, 0xffffffff, TIOCLINUX), "pastes into the console (CVE-2023-28100)")
RULE (ALWAYS, "ioctl", EPERM, EQUAL (1, 0xffffffff, TIOCSCTTY), "takes a controlling terminal")
RULE (ALWAYS, "vhangup", EPERM, ANY, "hangs up a terminal")

/* The kernel as a whole. */
RULE (ALWAYS, "bpf", EPERM, ANY, "a compiler inside the kernel, with its row of faults")
RULE (ALWAYS, "perf_event_open", EPERM, ANY, "watches the machine; CVE-2013-2094 and later")
RULE (ALWAYS, "userfaultfd", EPERM, ANY, "holds the kernel still in the middle of a copy: the usual aid of exploits")
RULE (ALWAYS, "io_uring_setup", ENOSYS, ANY, "does what the filter refuses, without a system call (birdcage #32)")
RULE (ALWAYS, "io_uring_enter", ENOSYS, ANY, "as io_uring_setup")
RULE (ALWAYS, "io_uring_register", ENOSYS, ANY, "as io_uring_setup")
RULE (ALWAYS, "add_key", EPERM, ANY, "the kernel keyring is shared with the whole session")
RULE (ALWAYS, "keyctl", EPERM, ANY, "the kernel keyring (CVE-2016-0728)")
RULE (ALWAYS, "request_key", EPERM, ANY, "the kernel keyring; starts a program on the host")
RULE (ALWAYS, "syslog", EPERM, ANY, "the kernel's log")
RULE (ALWAYS, "acct", EPERM, ANY, "writes a file for each process that ends")
RULE (ALWAYS, "quotactl", EPERM, ANY, "file system administration")
RULE (ALWAYS, "quotactl_fd", ENOSYS, ANY, "file system administration")
RULE (ALWAYS, "modify_ldt", EPERM, ANY, "segments; CVE-2015-5157")
RULE (ALWAYS, "vmsplice", EPERM, ANY, "maps pages into pipes: CVE-2008-0600, CVE-2020-29374")
RULE (ALWAYS, "memfd_secret", EPERM, ANY, "memory out of the launcher's sight")
RULE (ALWAYS, "name_to_handle_at", EPERM, ANY, "file handles go around paths and mounts")
RULE (ALWAYS, "open_by_handle_at", EPERM, ANY, "file handles go around paths and mounts (the \"shocker\" escape)")
RULE (ALWAYS, "fanotify_init", EPERM, ANY, "watches whole file systems, masked places included")
RULE (ALWAYS, "fanotify_mark", EPERM, ANY, "as fanotify_init")
RULE (ALWAYS, "lookup_dcookie", EPERM, ANY, "profiling of old")
RULE (ALWAYS, "init_module", EPERM, ANY, "kernel code")
RULE (ALWAYS, "finit_module", EPERM, ANY, "kernel code")
RULE (ALWAYS, "delete_module", EPERM, ANY, "kernel code")
RULE (ALWAYS, "kexec_load", EPERM, ANY, "another kernel")
RULE (ALWAYS, "kexec_file_load", EPERM, ANY, "another kernel")
RULE (ALWAYS, "reboot", EPERM, ANY, "the machine")
RULE (ALWAYS, "swapon", EPERM, ANY, "the machine")
RULE (ALWAYS, "swapoff", EPERM, ANY, "the machine")
RULE (ALWAYS, "settimeofday", EPERM, ANY, "the machine's clock")
RULE (ALWAYS, "clock_settime", EPERM, ANY, "the machine's clock")
RULE (ALWAYS, "clock_adjtime", EPERM, ANY, "the machine's clock")
RULE (ALWAYS, "adjtimex", EPERM, ANY, "the machine's clock")
RULE (ALWAYS, "sethostname", EPERM, ANY, "the machine's name")
RULE (ALWAYS, "setdomainname", EPERM, ANY, "the machine's name")
RULE (ALWAYS, "iopl", EPERM, ANY, "input and output ports")
RULE (ALWAYS, "ioperm", EPERM, ANY, "input and output ports")
RULE (ALWAYS, "mknod", EPERM, EQUAL (1, S_IFMT, S_IFCHR), "device nodes")
RULE (ALWAYS, "mknod", EPERM, EQUAL (1, S_IFMT, S_IFBLK), "device nodes")
RULE (ALWAYS, "mknodat", EPERM, EQUAL (2, S_IFMT, S_IFCHR), "device nodes")
RULE (ALWAYS, "mknodat", EPERM, EQUAL (2, S_IFMT, S_IFBLK), "device nodes")

/* What outlives the sandbox in the folders it can write. A program with the user's set-user-id bit, in a folder opened with
 * chmod(), runs as the user, outside of any sandbox, for whoever else is on this computer (a service that the plugin reaches,
 * say). The mask of openat2() and the mode of fchmodat2() lie where no filter can look, or libseccomp does not know the call. */
RULE (ALWAYS, "chmod", EPERM, SET_ID (1), "set-user-id programs")
RULE (ALWAYS, "fchmod", EPERM, SET_ID (1), "set-user-id programs")
RULE (ALWAYS, "fchmodat", EPERM, SET_ID (2), "set-user-id programs")
RULE_NUMBER (ALWAYS, 452, ENOSYS, "fchmodat2: set-user-id programs; the C library falls back on fchmodat")
RULE (ALWAYS, "creat", EPERM, SET_ID (1), "set-user-id programs")
RULE (ALWAYS, "open", EPERM, MAKES_SET_ID (1, 2), "set-user-id programs")
RULE (ALWAYS, "openat", EPERM, MAKES_SET_ID (2, 3), "set-user-id programs")
RULE (ALWAYS, "openat2", ENOSYS, ANY, "set-user-id programs; whoever uses it falls back on openat")
RULE (ALWAYS, "mknod", EPERM, SET_ID (1), "set-user-id programs")
RULE (ALWAYS, "mknodat", EPERM, SET_ID (2), "set-user-id programs")

/* Reading a file is not to hold up others: while there is a lease on a file of the user's, whoever opens it waits up to
 * /proc/sys/fs/lease-break-time (45 s), the user's shell and editor as well. No write access is needed for one. */
RULE (ALWAYS, "fcntl", EACCES, EQUAL (1, 0xffffffff, F_SETLEASE), "leases: others wait when they open the file")
RULE (ALWAYS, "fcntl", EACCES, EQUAL (1, 0xffffffff, 1040), "F_SETDELEG, Linux 6.19: leases on folders")

RULE (ALWAYS, "uselib", EPERM, ANY, "unused; CVE-2004-1235")
RULE (ALWAYS, "ustat", EPERM, ANY, "unused")
RULE (ALWAYS, "sysfs", EPERM, ANY, "unused")
RULE (ALWAYS, "_sysctl", EPERM, ANY, "unused")
RULE (ALWAYS, "nfsservctl", EPERM, ANY, "unused")
RULE_NUMBER (ALWAYS, 460, EPERM, "lsm_set_self_attr: changes the security module's confinement")

/* Core dumps: off, and must stay off. A limit of 1 also keeps a crash from the host's crash handler, which would read the
 * plugin's memory outside the sandbox (CVE-2025-4598, CVE-2025-5054); 0 does not. gnupg ends itself on an error here. */
RULE (ALWAYS, "setrlimit", 0, EQUAL (0, 0xffffffff, RLIMIT_CORE), "core dumps are off; asking for it again is answered with yes")
RULE (ALWAYS, "prlimit64", 0, CORE_LIMIT, "as setrlimit")

/* Network: listening is refused with and without it. */
RULE (ALWAYS, "bind", EACCES, ANY, "listening; also claims names of Unix sockets")
RULE (ALWAYS, "listen", EACCES, ANY, "listening works without bind (landlock #15)")
RULE (ALWAYS, "accept", EACCES, ANY, "listening")
RULE (ALWAYS, "accept4", EACCES, ANY, "listening")
RULE (NO_NETWORK, "socket", EACCES, ANY, "no network, and no Unix socket: session bus, X11, agents, docker; AF_VSOCK, AF_ALG (moby #44562)")
RULE (NO_NETWORK, "connect", EACCES, ANY, "nothing there can be connected; a socket pair is already")
RULE (NO_NETWORK, "sendto", EACCES, ABOVE (4, 0), "a destination, where there can be none")
RULE (NETWORK, "socket", EACCES, BELOW (0, AF_INET), "Unix sockets: session bus, X11, agents, docker")
RULE (NETWORK, "socket", EACCES, BETWEEN (0, AF_INET, AF_INET6), "AF_AX25 to AF_PPPOX's kind: seldom tried kernel code (moby #44562)")
RULE (NETWORK, "socket", EACCES, ABOVE (0, AF_INET6), "AF_NETLINK, AF_PACKET, AF_ALG, AF_VSOCK (moby #44562)")
RULE (NETWORK, "socket", EACCES, ABOVE (2, IPPROTO_UDP), "MPTCP, SCTP and others go around rules for TCP (landlock #54)")
RULE (NETWORK, "socket", EACCES, BETWEEN (2, 0, IPPROTO_TCP), "ping sockets (CVE-2015-3636): TCP and UDP only")
RULE (NETWORK, "socket", EACCES, BETWEEN (2, IPPROTO_TCP, IPPROTO_UDP), "as above")
RULE (NETWORK, "socket", EACCES, RAW_TYPES, "only streams and datagrams")

/* A DGRAM pair plus sendto(path) reaches every Unix socket of the host (nono #1089, ladybird #12146). The type's low four bits,
 * since SOCK_NONBLOCK and SOCK_CLOEXEC are or-ed in. */
RULE (ALWAYS, "socketpair", EACCES, PAIR_TYPES, "only STREAM and SEQPACKET, which have no destination")
