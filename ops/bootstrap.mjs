// Makes a fresh clone ready to run: a Node that is new enough, the npm packages, the Debian packages. Plain JavaScript,
// because it must run on whatever Node the system has. Says everything on stderr: stdout belongs to the command.
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
const OLDEST_NODE = [22, 18]
const NODE_PACKAGE = `node-${process.platform}-${process.arch}`
const PINNED_HOME = join(RUNTIME, 'node_modules', NODE_PACKAGE)
const PINNED_NODE = join(PINNED_HOME, 'bin/node')
const NPM_OPTIONS = ['--include=dev', '--include=optional', '--no-audit', '--no-fund', '--prefer-offline']
const LOCK_HASH = hashOf('package-lock.json', 'ops/runtime/package-lock.json')

const isQuiet = process.argv.includes('--quiet')
const isForTests = process.argv.includes('--tests')

try {
  if (!isInstalled(readStamp())) await alone(install)
  if (!isQuiet) offerSystemPackages()
} catch (error) {
  say(`coinop: ${error.message}`)
  process.exitCode = 1
}

function isInstalled(stamp) {
  return stamp.lockHash === LOCK_HASH && (!needsPinnedNode() || existsSync(join(MODULES, '.bin/node')))
}

async function install() {
  if (isInstalled(readStamp())) return
  const isOld = needsPinnedNode()
  if (isOld) await installPinnedNode()
  if (!matchesLock(ROOT)) {
    // Under an old Node npm drops optional packages that want a newer one, and says nothing.
    const runner = isOld ? { node: PINNED_NODE, home: PINNED_HOME } : { node: process.execPath }
    await npmCi(ROOT, 'npm packages', runner)
  }
  if (isOld) linkPinnedNode()
  writeStamp({ ...readStamp(), lockHash: LOCK_HASH })
}

function needsPinnedNode() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  return major < OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor < OLDEST_NODE[1])
}

async function installPinnedNode() {
  const lock = readJson(join(RUNTIME, 'package-lock.json'))
  const version = lock?.packages[`node_modules/${NODE_PACKAGE}`]?.version
  if (!version) {
    const wanted = OLDEST_NODE.join('.')
    throw new Error(
      `Node ${wanted} or newer is needed and this is ${process.version}; npm has none for ${process.platform} ${process.arch}.`,
    )
  }
  if (works(PINNED_NODE, version)) return
  await npmCi(RUNTIME, `Node ${version}, because this is ${process.version}`, { node: process.execPath })
  if (!works(PINNED_NODE, version)) throw new Error(`Node ${version} was installed but does not run on this machine.`)
}

function works(node, version) {
  return existsSync(node) && spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout?.trim() === `v${version}`
}

/** npm scripts look into node_modules/.bin first, so from now on they run the pinned Node. */
function linkPinnedNode() {
  const bin = join(MODULES, '.bin')
  mkdirSync(bin, { recursive: true })
  const draft = join(bin, `.node-${process.pid}`)
  symlinkSync('../../ops/runtime/node_modules/.bin/node', draft)
  renameSync(draft, join(bin, 'node'))
}

/** Whether what npm noted of its last finished install is what the lock file asks for on this machine. */
function matchesLock(folder) {
  const wanted = readJson(join(folder, 'package-lock.json'))?.packages
  const found = readJson(join(folder, 'node_modules/.package-lock.json'))?.packages
  if (!wanted || !found) return false
  return Object.entries(wanted).every(
    ([path, entry]) => !isNeeded(path, entry) || found[path]?.version === entry.version,
  )
}

/** npm leaves out optional packages for a reason of its own; those made for this very machine must be there. */
function isNeeded(path, entry) {
  const isMadeForOne = entry.os !== undefined || entry.cpu !== undefined
  return path !== '' && isForHere(entry) && (!entry.optional || isMadeForOne)
}

function isForHere({ os, cpu, libc }) {
  const isMusl = libc !== undefined && !libc.includes('glibc')
  return allows(os, process.platform) && allows(cpu, process.arch) && !isMusl
}

/** `linux`, `["linux", "darwin"]` or `["!win32"]`. */
function allows(rule, name) {
  const words = [rule ?? []].flat()
  return words.every(word => word.startsWith('!') && word !== `!${name}`) || words.includes(name)
}

async function npmCi(folder, what, { node, home }) {
  const env = {
    ...process.env,
    PATH: `${dirname(node)}${delimiter}${process.env.PATH}`,
    ...(home ? { npm_config_nodedir: home } : {}),
  }
  const npm = process.env.npm_execpath?.endsWith('.js') ? [node, process.env.npm_execpath] : ['npm']
  // An npm that outlived this set-up would write into the next one's folder.
  const [file, ...words] = isOnPath('setpriv') ? ['setpriv', '--pdeathsig', 'KILL', ...npm] : npm
  const call = command => run(file, [...words, ...command, ...NPM_OPTIONS], { cwd: folder, env })
  const lock = readJson(join(folder, 'package-lock.json'))
  const total = Object.entries(lock.packages).filter(([path, entry]) => isTopLevel(path) && isForHere(entry)).length
  const stopTelling = tellProgress(what, () => `${Math.min(total, countPackages(folder))} of ${total}`)
  let { code, output } = await call(['ci'])
  // A registry that lacks a package for some other platform makes `npm ci` refuse the whole lock file.
  if (code !== 0 && output.includes('EUSAGE')) ({ code, output } = await call(['install', '--no-save']))
  stopTelling(code === 0)
  if (code === 0) return
  say(tidied(output))
  throw new Error(`npm could not install ${what}; see above, put it right and start again.`)
}

function tidied(output) {
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

/** A line that is rewritten on a terminal, a line now and then in a log. */
function tellProgress(what, count) {
  const isTerminal = process.stderr.isTTY === true
  const startedAt = Date.now()
  const seconds = () => Math.round((Date.now() - startedAt) / 1000)
  say(`Installing ${what} ...`)
  const timer = setInterval(() => {
    if (isTerminal) process.stderr.write(`\r  ${count()}, ${seconds()} s `)
    else if (seconds() % 10 === 0) say(`  ${count()}, ${seconds()} s`)
  }, 1000)
  return isDone => {
    clearInterval(timer)
    say(`${isTerminal ? '\r' : ''}  ${isDone ? 'done' : 'failed'} after ${seconds()} s      `)
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

/** One set-up at a time. The kernel frees the name when its holder dies. */
async function alone(work) {
  if (process.platform !== 'linux') return await work()
  const name = `\0coinop-set-up-${createHash('sha256').update(ROOT).digest('hex').slice(0, 32)}`
  for (let tries = 0; ; tries += 1) {
    const server = await claim(name)
    if (server) return await work().finally(() => server.close())
    if (tries === 0) say('Waiting for another set-up of this folder to end ...')
    await new Promise(resolve => setTimeout(resolve, 300))
  }
}

function claim(name) {
  return new Promise((resolve, reject) => {
    const server = createServer(socket => socket.destroy())
    server.on('error', error => (error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error)))
    server.listen(name, () => resolve(server))
  })
}

/** Installs what Debian has and this machine has not, or says once how to. Never stops the start. */
function offerSystemPackages() {
  const wanted = readJson(join(ROOT, 'ops/system-packages.json')).filter(
    ({ serves }) => serves !== 'tests' || isForTests,
  )
  let missing = wanted.filter(({ program }) => !isOnPath(program))
  const names = missing.map(entry => entry.package).join(' ')
  const stamp = readStamp()
  const note = `${LOCK_HASH} ${names}`
  if (missing.length === 0 || stamp.offered === note) return
  if (isRootOnDebian()) aptInstall(names)
  missing = missing.filter(({ program }) => !isOnPath(program))
  if (missing.length > 0) {
    const left = missing.map(entry => entry.package).join(' ')
    const sudo = process.getuid?.() === 0 ? '' : 'sudo '
    say(`Not installed: ${missing.map(entry => `${entry.package} (for ${entry.serves})`).join(', ')}. To install:`)
    say(`  ${sudo}apt-get update && ${sudo}apt-get install -y --no-install-recommends ${left}`)
    say('Until then the operations that need it are reported unavailable.')
  }
  writeStamp({ ...stamp, offered: note })
}

function isOnPath(program) {
  const folders = `${process.env.PATH}${delimiter}/usr/bin${delimiter}/usr/sbin`.split(delimiter)
  return folders.some(folder => existsSync(join(folder, program)))
}

function isRootOnDebian() {
  return process.getuid?.() === 0 && existsSync('/etc/debian_version') && isOnPath('apt-get')
}

/** The package lists are fetched only if the install fails without. */
function aptInstall(names) {
  say(`Installing Debian packages: ${names} ...`)
  const options = ['-o', 'DPkg::Lock::Timeout=120', '-o', 'Acquire::Retries=1', '-o', 'Acquire::http::Timeout=20']
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const apt = args =>
    spawnSync('apt-get', [...options, ...args], { env, stdio: 'ignore', timeout: 600_000 }).status === 0
  const installed = (packages = names.split(' ')) => apt(['install', '-y', '--no-install-recommends', ...packages])
  // One package that this release does not have must not keep the others away.
  const oneByOne = () =>
    names
      .split(' ')
      .map(name => installed([name]))
      .every(Boolean)
  const isDone = installed() || (apt(['update']) && (installed() || oneByOne()))
  say(`  ${isDone ? 'done' : 'failed'}`)
}

function readStamp() {
  return readJson(STAMP) ?? {}
}

/** Lives in node_modules, so that it goes when they go. */
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

function hashOf(...files) {
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

function say(line) {
  process.stderr.write(`${line}\n`)
}
