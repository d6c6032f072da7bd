// Prepares a fresh clone: a recent Node, the npm packages and the Debian packages. It is plain JavaScript, because it
// must run on the Node of the system, and prints to stderr only, because stdout belongs to the command.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const RUNTIME = join(ROOT, 'ops/runtime')
const MODULES = join(ROOT, 'node_modules')
const STAMP = join(MODULES, '.coinop-stamp.json')
const MIN_NODE = [24, 0]
const NODE_PACKAGE = `node-${process.platform}-${process.arch}`
const PINNED_NODE_DIR = join(RUNTIME, 'node_modules', NODE_PACKAGE)
const PINNED_NODE = join(PINNED_NODE_DIR, 'bin/node')
const NPM_OPTIONS = ['--include=dev', '--include=optional', '--no-audit', '--no-fund', '--prefer-offline']
const LOCK_HASH = computeHash('package-lock.json', 'ops/runtime/package-lock.json')

const isQuiet = process.argv.includes('--quiet')
const isForTests = process.argv.includes('--tests')
const isForMachines = process.argv.includes('--machines')
const isOfficeWanted = isForTests || process.env.OFFICE === '1'
const WANTED = { tests: isForTests, office: isOfficeWanted, machines: isForMachines }

// The rest of a start takes long on a busy machine, and this is the first program that it runs.
if (!isQuiet && !isForTests) print('Starting coinop ...')

try {
  if (!isInstalled(readStamp())) await runExclusively(install)
  if (!isQuiet) installSystemPackages()
} catch (error) {
  print(`coinop: ${error.message}`)
  process.exitCode = 1
}

function isInstalled(stamp) {
  return stamp.lockHash === LOCK_HASH && (!needsPinnedNode() || existsSync(join(MODULES, '.bin/node')))
}

async function install() {
  if (isInstalled(readStamp())) return
  const isNodeTooOld = needsPinnedNode()
  if (isNodeTooOld) await installPinnedNode()
  if (!matchesLock(ROOT)) {
    // With an old Node, npm silently skips optional packages that need a newer one.
    const runner = isNodeTooOld ? { node: PINNED_NODE, home: PINNED_NODE_DIR } : { node: process.execPath }
    await npmCi(ROOT, 'npm packages', runner)
  }
  if (isNodeTooOld) linkPinnedNode()
  writeStamp({ ...readStamp(), lockHash: LOCK_HASH })
}

function needsPinnedNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  return major < MIN_NODE[0] || (major === MIN_NODE[0] && minor < MIN_NODE[1])
}

async function installPinnedNode() {
  const lock = readJson(join(RUNTIME, 'package-lock.json'))
  const version = lock?.packages[`node_modules/${NODE_PACKAGE}`]?.version
  if (!version) {
    const wanted = MIN_NODE.join('.')
    throw new Error(
      `Node ${wanted} or newer is needed and this is ${process.version}; npm has no newer Node for ${process.platform} ${process.arch}.`,
    )
  }
  if (isWorking(PINNED_NODE, version)) return
  await npmCi(RUNTIME, `Node ${version}, because this is ${process.version}`, { node: process.execPath })
  if (!isWorking(PINNED_NODE, version))
    throw new Error(`Node ${version} was installed but does not run on this machine.`)
}

function isWorking(node, version) {
  return existsSync(node) && spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout?.trim() === `v${version}`
}

/** npm scripts search node_modules/.bin first, so from now on they run the pinned Node. */
function linkPinnedNode() {
  const bin = join(MODULES, '.bin')
  mkdirSync(bin, { recursive: true })
  const draft = join(bin, `.node-${process.pid}`)
  symlinkSync('../../ops/runtime/node_modules/.bin/node', draft)
  renameSync(draft, join(bin, 'node'))
}

/** Whether npm's record of the last install matches the lock file on this machine. */
function matchesLock(folder) {
  const wanted = readJson(join(folder, 'package-lock.json'))?.packages
  const found = readJson(join(folder, 'node_modules/.package-lock.json'))?.packages
  if (!wanted || !found) return false
  return Object.entries(wanted).every(
    ([path, entry]) => !isNeeded(path, entry) || found[path]?.version === entry.version,
  )
}

/** npm may skip optional packages, but those for this platform must be installed. */
function isNeeded(path, entry) {
  const isPlatformSpecific = entry.os !== undefined || entry.cpu !== undefined
  return path !== '' && isForThisMachine(entry) && (!entry.optional || isPlatformSpecific)
}

function isForThisMachine({ os, cpu, libc }) {
  const isMusl = libc !== undefined && !libc.includes('glibc')
  return allows(os, process.platform) && allows(cpu, process.arch) && !isMusl
}

/** `linux`, `["linux", "darwin"]` or `["!win32"]`. */
function allows(rule, name) {
  const names = [rule ?? []].flat()
  return names.every(entry => entry.startsWith('!') && entry !== `!${name}`) || names.includes(name)
}

async function npmCi(folder, what, { node, home }) {
  const env = {
    ...process.env,
    PATH: `${dirname(node)}${delimiter}${process.env.PATH}`,
    ...(home ? { npm_config_nodedir: home } : {}),
  }
  const npm = process.env.npm_execpath?.endsWith('.js') ? [node, process.env.npm_execpath] : ['npm']
  // An npm that outlives this set-up would write into the folder while the next one runs.
  const [file, ...args] = isOnPath('setpriv') ? ['setpriv', '--pdeathsig', 'KILL', ...npm] : npm
  const call = command => run(file, [...args, ...command, ...NPM_OPTIONS], { cwd: folder, env })
  const lock = readJson(join(folder, 'package-lock.json'))
  const total = Object.entries(lock.packages).filter(
    ([path, entry]) => isTopLevel(path) && isForThisMachine(entry),
  ).length
  const stopProgress = showProgress(what, () => `${Math.min(total, countPackages(folder))} of ${total}`)
  let { code, output } = await call(['ci'])
  // If the registry lacks a package for another platform, `npm ci` rejects the whole lock file.
  if (code !== 0 && output.includes('EUSAGE')) ({ code, output } = await call(['install', '--no-save']))
  stopProgress(code === 0)
  if (code === 0) return
  print(summariseErrors(output))
  throw new Error(`npm could not install ${what}; correct the error above and start again.`)
}

function summariseErrors(output) {
  const lines = output
    .split('\n')
    .filter(line => !line.startsWith('npm warn') && line.replace('npm error', '').trim() !== '')
  return lines.slice(0, 15).join('\n')
}

function isTopLevel(path) {
  return path.split('node_modules/').length === 2
}

function countPackages(folder) {
  const modules = join(folder, 'node_modules')
  return list(modules).reduce((sum, name) => {
    if (name.startsWith('.')) return sum
    return sum + (name.startsWith('@') ? list(join(modules, name)).length : 1)
  }, 0)
}

function list(folder) {
  return existsSync(folder) ? readdirSync(folder) : []
}

/** Rewrites one line on a terminal; prints a line every ten seconds to a log. */
function showProgress(what, count) {
  const isTerminal = process.stderr.isTTY === true
  const startedAt = Date.now()
  const seconds = () => Math.round((Date.now() - startedAt) / 1000)
  print(`Installing ${what} ...`)
  const timer = setInterval(() => {
    if (isTerminal) process.stderr.write(`\r  ${count()}, ${seconds()} s `)
    else if (seconds() % 10 === 0) print(`  ${count()}, ${seconds()} s`)
  }, 1000)
  return isDone => {
    clearInterval(timer)
    print(`${isTerminal ? '\r' : ''}  ${isDone ? 'done' : 'failed'} after ${seconds()} s      `)
  }
}

function run(file, args, options) {
  return new Promise(resolve => {
    const child = spawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    const keep = chunk => {
      output = (output + chunk).slice(-20_000)
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    child.on('error', error => resolve({ code: 127, output: error.message }))
    child.on('close', code => resolve({ code, output }))
  })
}

/** Runs one set-up at a time. The lock is an abstract socket name, which the kernel frees when its holder dies. */
async function runExclusively(work) {
  if (process.platform !== 'linux') return await work()
  const name = `\0coinop-set-up-${createHash('sha256').update(ROOT).digest('hex').slice(0, 32)}`
  for (let tries = 0; ; tries += 1) {
    const server = await tryListen(name)
    if (server) return await work().finally(() => server.close())
    if (tries === 0) print('Waiting for another set-up of this folder ...')
    await new Promise(resolve => setTimeout(resolve, 300))
  }
}

function tryListen(name) {
  return new Promise((resolve, reject) => {
    const server = createServer(socket => socket.destroy())
    server.on('error', error => (error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error)))
    server.listen(name, () => resolve(server))
  })
}

/** Installs missing Debian packages as root, LibreOffice if asked for, or prints the command once. A failure stops nothing. */
function installSystemPackages() {
  const wanted = readJson(join(ROOT, 'ops/system-packages.json')).filter(({ serves }) => WANTED[serves] ?? true)
  let missing = wanted.filter(({ program }) => !isOnPath(program))
  const names = missing.map(entry => entry.package).join(' ')
  const stamp = readStamp()
  const offer = `${LOCK_HASH} ${names}`
  if (missing.length === 0 || stamp.offered === offer) return
  if (isRootOnDebian()) aptInstall(names)
  missing = missing.filter(({ program }) => !isOnPath(program))
  if (missing.length > 0) {
    const left = missing.map(entry => entry.package).join(' ')
    const sudo = process.getuid?.() === 0 ? '' : 'sudo '
    print(`Not installed: ${missing.map(entry => `${entry.package} (for ${entry.serves})`).join(', ')}. To install:`)
    print(`  ${sudo}apt-get update && ${sudo}apt-get install -y --no-install-recommends ${left}`)
    print('Until then the operations that need them are reported as unavailable.')
  }
  writeStamp({ ...stamp, offered: offer })
}

function isOnPath(program) {
  const folders = `${process.env.PATH}${delimiter}/usr/bin${delimiter}/usr/sbin`.split(delimiter)
  return folders.some(folder => existsSync(join(folder, program)))
}

function isRootOnDebian() {
  return process.getuid?.() === 0 && existsSync('/etc/debian_version') && isOnPath('apt-get')
}

/** Fetches the package lists only if the install fails without them. */
function aptInstall(names) {
  print(`Installing Debian packages: ${names} ...`)
  const options = ['-o', 'DPkg::Lock::Timeout=120', '-o', 'Acquire::Retries=1', '-o', 'Acquire::http::Timeout=20']
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const apt = args =>
    spawnSync('apt-get', [...options, ...args], { env, stdio: 'ignore', timeout: 600_000 }).status === 0
  const installed = (packages = names.split(' ')) => apt(['install', '-y', '--no-install-recommends', ...packages])
  // A package that this Debian release does not have must not prevent the others.
  const installOneByOne = () =>
    names
      .split(' ')
      .map(name => installed([name]))
      .every(Boolean)
  const isDone = installed() || (apt(['update']) && (installed() || installOneByOne()))
  print(`  ${isDone ? 'done' : 'failed'}`)
}

function readStamp() {
  return readJson(STAMP) ?? {}
}

/** Stored in node_modules, so that it is deleted together with them. */
function writeStamp(stamp) {
  mkdirSync(MODULES, { recursive: true })
  const draft = `${STAMP}.${process.pid}`
  try {
    writeFileSync(draft, JSON.stringify(stamp))
    renameSync(draft, STAMP)
  } catch {
    rmSync(draft, { force: true })
  }
}

function computeHash(...files) {
  const hash = createHash('sha256')
  for (const file of files) hash.update(readFileSync(join(ROOT, file)))
  return hash.digest('hex').slice(0, 16)
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

function print(line) {
  process.stderr.write(`${line}\n`)
}
