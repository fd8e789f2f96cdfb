/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The one table of system calls the sandbox refuses, one a line, each with its reason. Read by oc-seccomp-gen.c at build time.
 *
 * RULE (filter, call, errno, group, condition, reason)
 *   filter:    ALWAYS, or NO_NETWORK / NETWORK for one of the two kinds of filter
 *   errno:     EPERM where programs expect it, ENOSYS where they have a fallback, EACCES for the network, 0 for "done" without
 *              doing anything
 *   group:     what the activity says of it: the filter asks the launcher, which answers with the errno, always, and records who
 *              asked. NONE: the filter itself refuses, and nothing is recorded: what ordinary programs try that do without it.
 *              All rules of one call have the same errno, and either all of them have a group or none.
 *   condition: ANY; EQUAL (argument, mask, value): (argument & mask) == value; ABOVE, BELOW (argument, value): all 64 bits, so bits above an int are refused
 *              BETWEEN (argument, low, high): neither of the two; SET_ID (argument): a mode with set-id bits; MAKES_SET_ID (flags,
 *              argument): the same where the flags ask for a new file
 *              An ioctl request and a socket's type are 32 bits wide in the kernel: high bits must not slip by (CVE-2019-10063).
 *
 * RECORD (call, condition, reason): in the filter of plugins that may use the network, the launcher is asked too, records where to,
 * and lets the call go on. Its memory can change after that look, so this is a record of what was asked for and no decision.
 *
 * What is not here is allowed up to LAST_NUMBER. Every number above it is answered with ENOSYS: a call this table's writer had
 * not heard of is refused (the lesson of CVE-2021-41133). */

#define LAST_NUMBER 466 /* removexattrat, Linux 6.13; numbers have been the same on all architectures since 424 */

/* Namespaces and mounts: the way back out. */
RULE (ALWAYS, "unshare", EPERM, NAMESPACE, ANY, "new namespaces bring new capabilities and a great deal of kernel code")
RULE (ALWAYS, "setns", EPERM, NAMESPACE, ANY, "joining another namespace")
RULE (ALWAYS, "clone", EPERM, NAMESPACE, EQUAL (0, CLONE_NEWUSER, CLONE_NEWUSER), "a user namespace brings capabilities")
RULE (ALWAYS, "clone", EPERM, NAMESPACE, EQUAL (0, CLONE_NEWNS, CLONE_NEWNS), "as unshare")
RULE (ALWAYS, "clone", EPERM, NAMESPACE, EQUAL (0, CLONE_NEWPID, CLONE_NEWPID), "as unshare")
RULE (ALWAYS, "clone", EPERM, NAMESPACE, EQUAL (0, CLONE_NEWNET, CLONE_NEWNET), "as unshare")
RULE (ALWAYS, "clone", EPERM, NAMESPACE, EQUAL (0, CLONE_NEWIPC, CLONE_NEWIPC), "as unshare")
RULE (ALWAYS, "clone", EPERM, NAMESPACE, EQUAL (0, CLONE_NEWUTS, CLONE_NEWUTS), "as unshare")
RULE (ALWAYS, "clone", EPERM, NAMESPACE, EQUAL (0, CLONE_NEWCGROUP, CLONE_NEWCGROUP), "as unshare")
RULE (ALWAYS, "clone3", ENOSYS, NONE, ANY, "its flags lie in memory, where a filter cannot look (CVE-2021-41133)")
RULE (ALWAYS, "mount", EPERM, MOUNT, ANY, "changes what is read-only or masked")
RULE (ALWAYS, "umount2", EPERM, MOUNT, ANY, "uncovers what is masked")
RULE (ALWAYS, "pivot_root", EPERM, MOUNT, ANY, "uncovers what is masked")
RULE (ALWAYS, "chroot", EPERM, MOUNT, ANY, "with a folder held open, a way around the root")
RULE (ALWAYS, "open_tree", ENOSYS, NONE, ANY, "new mount API (CVE-2021-41133)")
RULE (ALWAYS, "move_mount", ENOSYS, NONE, ANY, "new mount API (CVE-2021-41133)")
RULE (ALWAYS, "fsopen", ENOSYS, NONE, ANY, "new mount API (CVE-2021-41133); CVE-2022-0185 was in it")
RULE (ALWAYS, "fsconfig", ENOSYS, NONE, ANY, "new mount API; CVE-2022-0185")
RULE (ALWAYS, "fsmount", ENOSYS, NONE, ANY, "new mount API (CVE-2021-41133)")
RULE (ALWAYS, "fspick", ENOSYS, NONE, ANY, "new mount API (CVE-2021-41133)")
RULE (ALWAYS, "mount_setattr", ENOSYS, NONE, ANY, "new mount API (CVE-2021-41133)")
RULE_NUMBER (ALWAYS, 457, ENOSYS, "statmount: other mount namespaces' mounts")
RULE_NUMBER (ALWAYS, 458, ENOSYS, "listmount: other mount namespaces' mounts")

/* Other processes. */
RULE (ALWAYS, "ptrace", EPERM, TRACE, ANY, "reading and steering other processes; a long row of kernel faults")
RULE (ALWAYS, "process_vm_readv", EPERM, TRACE, ANY, "reading another process's memory")
RULE (ALWAYS, "process_vm_writev", EPERM, TRACE, ANY, "writing another process's memory")
RULE (ALWAYS, "process_madvise", EPERM, NONE, ANY, "acting on another process's memory")
RULE (ALWAYS, "pidfd_getfd", EPERM, TRACE, ANY, "taking another process's descriptors")
RULE (ALWAYS, "kcmp", EPERM, NONE, ANY, "tells kernel addresses apart")
RULE (ALWAYS, "move_pages", EPERM, NONE, ANY, "another process's memory; tells addresses (CVE-2010-0415)")
RULE (ALWAYS, "migrate_pages", EPERM, NONE, ANY, "another process's memory")
RULE (ALWAYS, "mbind", EPERM, NONE, ANY, "memory policy: large and seldom tried code (CVE-2016-10044's neighbours)")
RULE (ALWAYS, "set_mempolicy", EPERM, NONE, ANY, "memory policy, as mbind")
RULE (ALWAYS, "get_mempolicy", EPERM, NONE, ANY, "memory policy, as mbind")
RULE (ALWAYS, "personality", EPERM, NONE, ABOVE (0, 0), "READ_IMPLIES_EXEC and ADDR_NO_RANDOMIZE take protections away")

/* The launcher answers what the filter asks. A filter added later is asked first: with a listener of its own, which the kernel
 * allows once ours is gone, it could answer "go on" to what ours refuses. */
RULE (ALWAYS, "seccomp", EBUSY, NONE, EQUAL (1, SECCOMP_FILTER_FLAG_NEW_LISTENER, SECCOMP_FILTER_FLAG_NEW_LISTENER), "answers of its own")

/* Terminals. */
RULE (ALWAYS, "ioctl", EPERM, TERMINAL, EQUAL (1, 0xffffffff, TIOCSTI), "types into the terminal (CVE-2017-5226, CVE-2019-10063)")
RULE (ALWAYS, "ioctl", EPERM, TERMINAL, EQUAL (1, 0xffffffff, TIOCLINUX), "pastes into the console (CVE-2023-28100)")
RULE (ALWAYS, "ioctl", EPERM, TERMINAL, EQUAL (1, 0xffffffff, TIOCSCTTY), "takes a controlling terminal")
RULE (ALWAYS, "vhangup", EPERM, TERMINAL, ANY, "hangs up a terminal")

/* The kernel as a whole. */
RULE (ALWAYS, "bpf", EPERM, KERNEL, ANY, "a compiler inside the kernel, with its row of faults")
RULE (ALWAYS, "perf_event_open", EPERM, KERNEL, ANY, "watches the machine; CVE-2013-2094 and later")
RULE (ALWAYS, "userfaultfd", EPERM, KERNEL, ANY, "holds the kernel still in the middle of a copy: the usual aid of exploits")
RULE (ALWAYS, "io_uring_setup", ENOSYS, NONE, ANY, "does what the filter refuses, without a system call (birdcage #32)")
RULE (ALWAYS, "io_uring_enter", ENOSYS, NONE, ANY, "as io_uring_setup")
RULE (ALWAYS, "io_uring_register", ENOSYS, NONE, ANY, "as io_uring_setup")
RULE (ALWAYS, "add_key", EPERM, KEYRING, ANY, "the kernel keyring is shared with the whole session")
RULE (ALWAYS, "keyctl", EPERM, KEYRING, ANY, "the kernel keyring (CVE-2016-0728)")
RULE (ALWAYS, "request_key", EPERM, KEYRING, ANY, "the kernel keyring; starts a program on the host")
RULE (ALWAYS, "syslog", EPERM, KERNEL, ANY, "the kernel's log")
RULE (ALWAYS, "acct", EPERM, KERNEL, ANY, "writes a file for each process that ends")
RULE (ALWAYS, "quotactl", EPERM, KERNEL, ANY, "file system administration")
RULE (ALWAYS, "quotactl_fd", ENOSYS, NONE, ANY, "file system administration")
RULE (ALWAYS, "modify_ldt", EPERM, KERNEL, ANY, "segments; CVE-2015-5157")
RULE (ALWAYS, "vmsplice", EPERM, NONE, ANY, "maps pages into pipes: CVE-2008-0600, CVE-2020-29374")
RULE (ALWAYS, "memfd_secret", EPERM, NONE, ANY, "memory out of the launcher's sight")
RULE (ALWAYS, "shmget", ENOSYS, NONE, ANY, "System V IPC: memory that no process has, so nobody can be seen to have it")
RULE (ALWAYS, "semget", ENOSYS, NONE, ANY, "as shmget: 64 GB of the kernel's own memory for the asking")
RULE (ALWAYS, "msgget", ENOSYS, NONE, ANY, "as shmget: messages wait in the kernel's own memory")
RULE (ALWAYS, "io_setup", ENOSYS, NONE, ANY, "65536 (fs.aio-max-nr) are all that the whole computer has, of which one process can take every one")
RULE (ALWAYS, "name_to_handle_at", EPERM, FILE_HANDLE, ANY, "file handles go around paths and mounts")
RULE (ALWAYS, "open_by_handle_at", EPERM, FILE_HANDLE, ANY, "file handles go around paths and mounts (the \"shocker\" escape)")
RULE (ALWAYS, "fanotify_init", EPERM, KERNEL, ANY, "watches whole file systems, masked places included")
RULE (ALWAYS, "fanotify_mark", EPERM, KERNEL, ANY, "as fanotify_init")
RULE (ALWAYS, "lookup_dcookie", EPERM, NONE, ANY, "profiling of old")
RULE (ALWAYS, "init_module", EPERM, KERNEL, ANY, "kernel code")
RULE (ALWAYS, "finit_module", EPERM, KERNEL, ANY, "kernel code")
RULE (ALWAYS, "delete_module", EPERM, KERNEL, ANY, "kernel code")
RULE (ALWAYS, "kexec_load", EPERM, KERNEL, ANY, "another kernel")
RULE (ALWAYS, "kexec_file_load", EPERM, KERNEL, ANY, "another kernel")
RULE (ALWAYS, "reboot", EPERM, KERNEL, ANY, "the machine")
RULE (ALWAYS, "swapon", EPERM, KERNEL, ANY, "the machine")
RULE (ALWAYS, "swapoff", EPERM, KERNEL, ANY, "the machine")
RULE (ALWAYS, "settimeofday", EPERM, KERNEL, ANY, "the machine's clock")
RULE (ALWAYS, "clock_settime", EPERM, KERNEL, ANY, "the machine's clock")
RULE (ALWAYS, "clock_adjtime", EPERM, KERNEL, ANY, "the machine's clock")
RULE (ALWAYS, "adjtimex", EPERM, KERNEL, ANY, "the machine's clock")
RULE (ALWAYS, "sethostname", EPERM, KERNEL, ANY, "the machine's name")
RULE (ALWAYS, "setdomainname", EPERM, KERNEL, ANY, "the machine's name")
RULE (ALWAYS, "iopl", EPERM, KERNEL, ANY, "input and output ports")
RULE (ALWAYS, "ioperm", EPERM, KERNEL, ANY, "input and output ports")
RULE (ALWAYS, "mknod", EPERM, DEVICE, EQUAL (1, S_IFMT, S_IFCHR), "device nodes")
RULE (ALWAYS, "mknod", EPERM, DEVICE, EQUAL (1, S_IFMT, S_IFBLK), "device nodes")
RULE (ALWAYS, "mknodat", EPERM, DEVICE, EQUAL (2, S_IFMT, S_IFCHR), "device nodes")
RULE (ALWAYS, "mknodat", EPERM, DEVICE, EQUAL (2, S_IFMT, S_IFBLK), "device nodes")

/* What outlives the sandbox in the folders it can write. A program with the user's set-user-id bit, in a folder opened with
 * chmod(), runs as the user, outside of any sandbox, for whoever else is on this computer (a service that the plugin reaches,
 * say). The mask of openat2() and the mode of fchmodat2() lie where no filter can look, or libseccomp does not know the call. */
RULE (ALWAYS, "chmod", EPERM, SET_USER_ID, SET_ID (1), "set-user-id programs")
RULE (ALWAYS, "fchmod", EPERM, SET_USER_ID, SET_ID (1), "set-user-id programs")
RULE (ALWAYS, "fchmodat", EPERM, SET_USER_ID, SET_ID (2), "set-user-id programs")
RULE_NUMBER (ALWAYS, 452, ENOSYS, "fchmodat2: set-user-id programs; the C library falls back on fchmodat")
RULE (ALWAYS, "creat", EPERM, SET_USER_ID, SET_ID (1), "set-user-id programs")
RULE (ALWAYS, "open", EPERM, SET_USER_ID, MAKES_SET_ID (1, 2), "set-user-id programs")
RULE (ALWAYS, "openat", EPERM, SET_USER_ID, MAKES_SET_ID (2, 3), "set-user-id programs")
RULE (ALWAYS, "openat2", ENOSYS, NONE, ANY, "set-user-id programs; whoever uses it falls back on openat")
RULE (ALWAYS, "mknod", EPERM, SET_USER_ID, SET_ID (1), "set-user-id programs")
RULE (ALWAYS, "mknodat", EPERM, SET_USER_ID, SET_ID (2), "set-user-id programs")

/* Reading a file is not to hold up others: while there is a lease on a file of the user's, whoever opens it waits up to
 * /proc/sys/fs/lease-break-time (45 s), the user's shell and editor as well. No write access is needed for one. */
RULE (ALWAYS, "fcntl", EACCES, LEASE, EQUAL (1, 0xffffffff, F_SETLEASE), "leases: others wait when they open the file")
RULE (ALWAYS, "fcntl", EACCES, LEASE, EQUAL (1, 0xffffffff, 1040), "F_SETDELEG, Linux 6.19: leases on folders")

RULE (ALWAYS, "uselib", EPERM, NONE, ANY, "unused; CVE-2004-1235")
RULE (ALWAYS, "ustat", EPERM, NONE, ANY, "unused")
RULE (ALWAYS, "sysfs", EPERM, NONE, ANY, "unused")
RULE (ALWAYS, "_sysctl", EPERM, NONE, ANY, "unused")
RULE (ALWAYS, "nfsservctl", EPERM, NONE, ANY, "unused")
RULE_NUMBER (ALWAYS, 460, EPERM, "lsm_set_self_attr: changes the security module's confinement")

/* Core dumps: off, and must stay off. A limit of 1 also keeps a crash from the host's crash handler, which would read the
 * plugin's memory outside the sandbox (CVE-2025-4598, CVE-2025-5054); 0 does not. gnupg ends itself on an error here. */
RULE (ALWAYS, "setrlimit", 0, NONE, EQUAL (0, 0xffffffff, RLIMIT_CORE), "core dumps are off; asking for it again is answered with yes")
RULE (ALWAYS, "prlimit64", 0, NONE, CORE_LIMIT, "as setrlimit")

/* Network: listening is refused with and without it. */
RULE (ALWAYS, "bind", EACCES, LISTEN, ANY, "listening; also claims names of Unix sockets")
RULE (ALWAYS, "listen", EACCES, LISTEN, ANY, "listening works without bind (landlock #15)")
RULE (ALWAYS, "accept", EACCES, LISTEN, ANY, "listening")
RULE (ALWAYS, "accept4", EACCES, LISTEN, ANY, "listening")
RULE (NO_NETWORK, "socket", EACCES, SOCKET, EQUAL (0, 0xffffffff, AF_INET), "no network")
RULE (NO_NETWORK, "socket", EACCES, SOCKET, EQUAL (0, 0xffffffff, AF_INET6), "no network")
RULE (NO_NETWORK, "socket", EACCES, LOCAL_SOCKET, EQUAL (0, 0xffffffff, AF_UNIX), "session bus, X11, agents, docker")
RULE (NO_NETWORK, "socket", EACCES, SPECIAL_SOCKET, ANY, "AF_NETLINK, AF_PACKET, AF_ALG, AF_VSOCK (moby #44562) and all others")
RULE (NO_NETWORK, "connect", EACCES, SOCKET, ANY, "nothing there can be connected; a socket pair is already")
RULE (NO_NETWORK, "sendto", EACCES, SOCKET, ABOVE (4, 0), "a destination, where there can be none")
RULE (NETWORK, "socket", EACCES, LOCAL_SOCKET, EQUAL (0, 0xffffffff, AF_UNIX), "session bus, X11, agents, docker")
RULE (NETWORK, "socket", EACCES, SPECIAL_SOCKET, BELOW (0, AF_INET), "Unix sockets: as above")
RULE (NETWORK, "socket", EACCES, SPECIAL_SOCKET, BETWEEN (0, AF_INET, AF_INET6), "AF_AX25 to AF_PPPOX's kind: seldom tried kernel code (moby #44562)")
RULE (NETWORK, "socket", EACCES, SPECIAL_SOCKET, ABOVE (0, AF_INET6), "AF_NETLINK, AF_PACKET, AF_ALG, AF_VSOCK (moby #44562)")
RULE (NETWORK, "socket", EACCES, SPECIAL_SOCKET, ABOVE (2, IPPROTO_UDP), "MPTCP, SCTP and others go around rules for TCP (landlock #54)")
RULE (NETWORK, "socket", EACCES, SPECIAL_SOCKET, BETWEEN (2, 0, IPPROTO_TCP), "ping sockets (CVE-2015-3636): TCP and UDP only")
RULE (NETWORK, "socket", EACCES, SPECIAL_SOCKET, BETWEEN (2, IPPROTO_TCP, IPPROTO_UDP), "as above")
RULE (NETWORK, "socket", EACCES, SPECIAL_SOCKET, RAW_TYPES, "only streams and datagrams")

/* Where to. What a datagram socket sends with sendmsg() has its destination in memory behind a pointer, as every stream's sendmsg()
 * has none: too many calls to ask about. So the making of such a socket is recorded, which has no other way around it. */
RECORD ("connect", ANY, "where to")
RECORD ("sendto", ABOVE (4, 0), "the same, with data; TCP fast open too")
RECORD ("sendmsg", EQUAL (2, MSG_FASTOPEN, MSG_FASTOPEN), "connects a stream without connect()")
RECORD ("sendmmsg", EQUAL (3, MSG_FASTOPEN, MSG_FASTOPEN), "as sendmsg")
RECORD ("socket", DATAGRAM, "may send anywhere with sendmsg()")

/* A DGRAM pair plus sendto(path) reaches every Unix socket of the host (nono #1089, ladybird #12146). The type's low four bits,
 * since SOCK_NONBLOCK and SOCK_CLOEXEC are or-ed in. */
RULE (ALWAYS, "socketpair", EACCES, LOCAL_SOCKET, PAIR_TYPES, "only STREAM and SEQPACKET, which have no destination")
