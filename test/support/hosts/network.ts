import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** A machine as far as the network knows it: a namespace with an address of its own on the bridge. */
export interface Host {
  name: string
  namespace: string
  address: string
}

export interface Network extends AsyncDisposable {
  host(name: string): Host
  hosts(): readonly Host[]
  /** Drops whatever two hosts send each other from now on, without telling either. */
  cut(one: Host, other: Host): void
  join(one: Host, other: Host): void
}

const NAMESPACES = '/run/netns'
const OWN_NAMESPACE = /^coinop-(\d+)-/
const OWN_BRIDGE = /^coinop-(\d+)$/
/** Addresses that no network of this machine is likely to use. */
const NET = 213
const FIRST_HOST = 10

/** Why this machine cannot be several; undefined if it can. */
export function whyNoHosts(): string | undefined {
  if (process.platform !== 'linux') return 'network namespaces are of Linux'
  if (process.getuid?.() !== 0) return 'network namespaces need root'
  const missing = PROGRAMS.filter(([path]) => !existsSync(path)).map(([, name]) => name)
  if (missing.length > 0) return `not installed: ${missing.join(', ')}; node ops/bootstrap.mjs --tests installs them`
  const trial = `coinop-${process.pid}-trial`
  const made = spawnSync('ip', ['netns', 'add', trial], { encoding: 'utf8' })
  if (made.status !== 0) return `no network namespace can be made: ${made.stderr.trim()}`
  const filtered = spawnSync('ip', ['netns', 'exec', trial, 'iptables', '-w', '-S'], { encoding: 'utf8' })
  spawnSync('ip', ['netns', 'delete', trial])
  return filtered.status === 0 ? undefined : `packets cannot be filtered: ${filtered.stderr.trim()}`
}

const PROGRAMS = [
  ['/usr/sbin/ip', 'iproute2'],
  ['/usr/sbin/iptables', 'iptables'],
  ['/usr/sbin/haproxy', 'haproxy'],
  ['/usr/sbin/pgbouncer', 'pgbouncer'],
  ['/usr/bin/etcd', 'etcd-server'],
  ['/usr/bin/patroni', 'patroni'],
  ['/usr/lib/postgresql/15/bin/postgres', 'postgresql-15'],
  ['/usr/bin/faketime', 'faketime'],
] as const

export function openNetwork(): Network {
  removeLeftovers()
  const bridge = `coinop-${process.pid}`
  const prefix = `10.${NET}.${process.pid % 256}`
  const hosts = new Map<string, Host>()
  run('ip', ['link', 'add', bridge, 'type', 'bridge'])
  run('ip', ['address', 'add', `${prefix}.1/24`, 'dev', bridge])
  run('ip', ['link', 'set', bridge, 'up'])
  const add = (name: string): Host => {
    const number = FIRST_HOST + hosts.size
    const host = { name, namespace: `coinop-${process.pid}-${name}`, address: `${prefix}.${number}` }
    hosts.set(name, host)
    connectHost(host, bridge, `cv${process.pid}-${number}`)
    return host
  }
  return {
    host: name => hosts.get(name) ?? add(name),
    hosts: () => [...hosts.values()],
    cut: (one, other) => filter('-I', one, other),
    join: (one, other) => filter('-D', one, other),
    [Symbol.asyncDispose]: async () => removeNetwork(bridge),
  }
}

function connectHost({ namespace, address }: Host, bridge: string, link: string): void {
  run('ip', ['netns', 'add', namespace])
  run('ip', ['link', 'add', link, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', namespace])
  run('ip', ['link', 'set', link, 'master', bridge, 'up'])
  for (const args of [
    ['address', 'add', `${address}/24`, 'dev', 'eth0'],
    ['link', 'set', 'eth0', 'up'],
    ['link', 'set', 'lo', 'up'],
  ])
    run('ip', ['-n', namespace, ...args])
}

function filter(action: '-I' | '-D', { namespace }: Host, { address }: Host): void {
  const rules = [
    ['INPUT', '-s'],
    ['OUTPUT', '-d'],
  ] as const
  for (const [chain, side] of rules)
    run('ip', ['netns', 'exec', namespace, 'iptables', '-w', action, chain, side, address, '-j', 'DROP'])
}

/** What a run that was killed has left. */
function removeLeftovers(): void {
  const names = [...list(NAMESPACES), ...list('/sys/class/net')]
  const pids = new Set(names.flatMap(name => (OWN_NAMESPACE.exec(name) ?? OWN_BRIDGE.exec(name))?.[1] ?? []))
  for (const pid of pids) if (!existsSync(join('/proc', pid))) removeNetwork(`coinop-${pid}`)
}

/** Ends what still runs in the namespaces, because a namespace lives as long as its processes. */
function removeNetwork(bridge: string): void {
  for (const name of list(NAMESPACES).filter(name => name.startsWith(`${bridge}-`))) {
    const { stdout } = spawnSync('ip', ['netns', 'pids', name], { encoding: 'utf8' })
    for (const pid of stdout.split('\n').filter(Boolean)) kill(Number(pid))
    spawnSync('ip', ['netns', 'delete', name])
  }
  spawnSync('ip', ['link', 'delete', bridge])
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

function list(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : []
}

function run(file: string, args: readonly string[]): void {
  execFileSync(file, args, { stdio: ['ignore', 'ignore', 'pipe'] })
}
