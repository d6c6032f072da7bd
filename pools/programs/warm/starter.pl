# Starts one program after another in a sandbox that was set up before the job was known. It runs inside the sandbox and
# reads a request from its standard input for each program: a length, then fields, each with a length of its own.
#
# Every program gets namespaces of its own for processes, mounts and shared memory. Its first process is `init` below:
# no process of the job can see or signal the starter, and when the program ends, the kernel kills all it left behind.
# The folders of other jobs are covered before the program starts. It uses no modules, which would double its memory.
use strict;
use warnings;

use constant { CLONE => 0, MOUNT => 1, SETSID => 2, PRLIMIT => 3, PRCTL => 4, CAPSET => 5, SETGROUPS => 6, SETRESGID => 7,
  SETRESUID => 8, EXIT => 9 };
my %NUMBERS = (
  x86_64 => [56, 165, 112, 302, 157, 126, 116, 119, 117, 231],
  aarch64 => [220, 40, 157, 261, 167, 91, 159, 149, 147, 94],
);
my ($CLOSE_RANGE, $MOUNT_SETATTR) = (436, 442); # the same on all machines
my ($NEW_MOUNTS, $NEW_PIDS, $NEW_IPC, $SIGCHLD) = (0x20000, 0x20000000, 0x08000000, 17);
my ($BIND, $NO_SUID_DEV_EXEC) = (4096, 14);
my ($SET_DUMPABLE, $DROP_BOUND, $NO_NEW_PRIVS) = (4, 24, 38);
my @RESOURCES = (9, 0, 1, 6); # address space, processor seconds, file size, processes
my $CPU_GRACE = 5; # As in sandbox.ts: with equal limits the kernel would send SIGKILL, which does not tell why.
my $KILLED = 128 + 9;
my $FOLDERS = '/jobs/all';

my $machine = shift @ARGV;
my $owns_users = shift @ARGV;
my $numbers = $NUMBERS{$machine} or die "no system calls are known for $machine\n";

# The constants of perl's own calls would each need a module; a failed call returns -1.
sub system_call { my $name = shift; return syscall($numbers->[$name], @_) }
sub must { my ($result, $what) = @_; die "$what: $!\n" if $result < 0; return $result }

$SIG{PIPE} = 'IGNORE';
must(system_call(PRCTL, $SET_DUMPABLE, 0, 0, 0, 0), 'prctl');
binmode($_) for *STDIN, *STDOUT;
write_all(pack('N', 0));
while (defined(my $head = read_exactly(4))) {
  my @fields = unpack('(N/a*)*', read_exactly(unpack('N', $head)));
  write_all(pack('N/a*', pack('(N/a*)*', run_program(@fields))));
}

sub run_program {
  my ($folder, $uid, $limits, $stdout_limit, $stderr_limit, $stdin, $read_only, $env, @command) = @_;
  my %job = (folder => $folder, uid => $uid, limits => [split / /, $limits], command => \@command);
  $job{read_only} = [unpack('(N/a*)*', $read_only)];
  $job{env} = [unpack('(N/a*)*', $env)];
  pipe(my $input, my $feed) or die "pipe: $!\n";
  pipe(my $stdout, my $stdout_end) or die "pipe: $!\n";
  pipe(my $stderr, my $stderr_end) or die "pipe: $!\n";
  $job{streams} = [$input, $stdout_end, $stderr_end];
  my $init = must(system_call(CLONE, $NEW_MOUNTS | $NEW_PIDS | $NEW_IPC | $SIGCHLD, 0, 0, 0, 0), 'clone');
  if ($init == 0) {
    # These are the starter's ends: the program would wait for the end of its input as long as it has one itself.
    close $_ for $feed, $stdout, $stderr;
    my $code = eval { init(\%job) };
    syswrite($stderr_end, "the sandbox: $@") unless defined $code;
    leave($code // $KILLED);
  }
  close $_ for $input, $stdout_end, $stderr_end;
  delete $job{streams};
  my @outputs = exchange($feed, $stdin, [$stdout, $stdout_limit], [$stderr, $stderr_limit]);
  waitpid($init, 0);
  return (exit_code(), @outputs);
}

# The first process of the job. All others of the job are killed with it.
sub init {
  my ($job) = @_;
  my $source = "$FOLDERS/$job->{folder}";
  mount_at($source, '/w', 0, $BIND);
  lock_file("/w/$_") for @{ $job->{read_only} };
  mount_at('/none', '/jobs', 0, $BIND);
  mount_at('proc', '/proc', 'proc', $NO_SUID_DEV_EXEC);
  my $pid = must(system_call(CLONE, $SIGCHLD, 0, 0, 0, 0), 'clone');
  if ($pid == 0) {
    eval { become_program($job) };
    syswrite(STDERR, $@);
    leave(127);
  }
  waitpid($pid, 0);
  return exit_code();
}

# As a shell tells it: a program that signal n killed has 128 + n.
sub exit_code { return $? & 127 ? 128 + ($? & 127) : $? >> 8 }

sub mount_at {
  my ($source, $target, $type, $flags) = @_;
  must(system_call(MOUNT, $source, $target, $type, $flags, 0), "mount $target");
}

sub lock_file {
  my ($path) = @_;
  mount_at($path, $path, 0, $BIND);
  my $read_only = pack('Q4', 1, 0, 0, 0);
  must(syscall($MOUNT_SETATTR, -100, $path, 0, $read_only, length $read_only), "mount_setattr $path");
}

sub become_program {
  my ($job) = @_;
  my @streams = @{ $job->{streams} };
  open(STDIN, '<&', $streams[0]) and open(STDOUT, '>&', $streams[1]) and open(STDERR, '>&', $streams[2])
    or die "dup: $!\n";
  $SIG{PIPE} = 'DEFAULT';
  system_call(SETSID);
  chdir '/w' or die "chdir: $!\n";
  limit(4, 0);
  my @limits = @{ $job->{limits} };
  for (0 .. $#RESOURCES) { limit($RESOURCES[$_], $limits[$_]) if $limits[$_] }
  give_up_privileges($job->{uid});
  must(syscall($CLOSE_RANGE, 3, 0xffffffff, 0), 'close_range');
  %ENV = @{ $job->{env} };
  my @command = @{ $job->{command} };
  exec { $command[0] } @command or die "$command[0]: $!\n";
}

sub limit {
  my ($resource, $amount) = @_;
  my $pair = pack('QQ', $amount, $amount + ($resource == 0 ? $CPU_GRACE : 0));
  must(system_call(PRLIMIT, 0, $resource, $pair, 0), 'prlimit');
}

sub give_up_privileges {
  my $uid = 0 + shift; # A string would be passed as an address.
  for my $capability (0 .. 63) { last if system_call(PRCTL, $DROP_BOUND, $capability, 0, 0, 0) < 0 }
  if ($owns_users) {
    must(system_call(SETGROUPS, 0, 0), 'setgroups');
    must(system_call(SETRESGID, $uid, $uid, $uid), 'setresgid');
    must(system_call(SETRESUID, $uid, $uid, $uid), 'setresuid');
  }
  my ($header, $none) = (pack('LL', 0x20080522, 0), pack('L6', (0) x 6));
  must(system_call(CAPSET, $header, $none), 'capset');
  must(system_call(PRCTL, $NO_NEW_PRIVS, 1, 0, 0, 0), 'prctl');
}

# Feeds the program and keeps the first bytes of what it writes, until no process of the job is left.
sub exchange {
  my ($feed, $stdin, @outputs) = @_;
  my @kept = ('') x @outputs;
  my ($fed, %open) = (0, map { $_ => 1 } 0 .. $#outputs);
  if ($stdin eq '') { close $feed; undef $feed }
  while (%open) {
    my ($readable, $writable) = ('', '');
    vec($readable, fileno($outputs[$_][0]), 1) = 1 for keys %open;
    vec($writable, fileno($feed), 1) = 1 if $feed;
    select($readable, $writable, undef, undef);
    if ($feed and vec($writable, fileno($feed), 1)) {
      my $count = syswrite($feed, $stdin, 4096, $fed);
      $fed += $count // 0;
      if (!defined $count or $fed >= length $stdin) { close $feed; undef $feed }
    }
    for my $index (keys %open) {
      my ($stream, $limit) = @{ $outputs[$index] };
      next unless vec($readable, fileno($stream), 1);
      my $count = sysread($stream, my $bytes, 65_536);
      if (!$count) { delete $open{$index}; next }
      my $room = $limit - length $kept[$index];
      $kept[$index] .= substr($bytes, 0, $room) if $room > 0;
    }
  }
  return @kept;
}

sub read_exactly {
  my ($length) = @_;
  my $bytes = '';
  while (length $bytes < $length) {
    my $count = sysread(STDIN, $bytes, $length - length $bytes, length $bytes);
    return undef unless $count;
  }
  return $bytes;
}

sub write_all {
  my ($bytes) = @_;
  my $written = 0;
  $written += syswrite(STDOUT, $bytes, length($bytes) - $written, $written) // exit while $written < length $bytes;
}

sub leave { system_call(EXIT, shift) }
