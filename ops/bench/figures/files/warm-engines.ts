import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

const TOOLS = fileURLToPath(new URL('../../../../pools/tools/', import.meta.url))
const CORES = availableParallelism()
const run = promisify(execFile)

/** Converts in a warm instance of pandoc on each core; it reads a text and prints how many conversions end per second. */
const PANDOC_LOOP = `
const { readFileSync } = await import('node:fs')
const [tools, path, seconds] = process.argv.slice(1)
const { openPandoc } = await import(tools + 'pandoc/instance.ts')
const [pandoc, text] = [await openPandoc(), readFileSync(path, 'utf8')]
const convert = () => pandoc.convert({ from: 'markdown', to: 'html', standalone: true }, text, {})
for (let run = 0; run < 5; run += 1) await convert()
let runs = 0
const startedAt = performance.now()
while (performance.now() - startedAt < seconds * 1000) { await convert(); runs += 1 }
console.log(runs / ((performance.now() - startedAt) / 1000))
`

export async function measurePandoc(path: string, seconds: number): Promise<number> {
  const args = ['--input-type=module', '-e', PANDOC_LOOP, TOOLS, path, String(seconds)]
  const loops = Array.from({ length: CORES }, () => run(process.execPath, args))
  return (await Promise.all(loops)).reduce((sum, { stdout }) => sum + Number(stdout), 0)
}

const OPTIONS = {
  ...{ sheets: 'visible', fit: 'width', notes: 'none', hiddenSlides: false, comments: 'none', trackedChanges: 'final' },
  ...{ updateIndexes: true, formFields: true, imageQuality: 90, maxImageDpi: 300, bookmarks: true, pdfua: false },
}

/** Prints with a warm LibreOffice on each core, through the same listener, without the service around it. */
export async function measureListeners(document: string, folder: string, seconds: number): Promise<number> {
  const rates = Array.from({ length: CORES }, async (_, index) => {
    const home = join(folder, `office-${index}`)
    await mkdir(home, { recursive: true })
    await copyFile(document, join(home, 'input.docx'))
    return measureListener(home, seconds)
  })
  return (await Promise.all(rates)).reduce((sum, rate) => sum + rate, 0)
}

async function measureListener(home: string, seconds: number): Promise<number> {
  const args = ['-B', join(TOOLS, 'libreoffice/listener.py'), join(home, 'profile')]
  const env = { PATH: '/usr/bin:/bin', HOME: home, TMPDIR: home }
  const child = spawn('/usr/bin/python3', args, {
    cwd: home,
    env,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  })
  const answers = createInterface({ input: child.stdio[4] as Readable })
  await once(answers, 'line')
  await ask(child, answers)
  const startedAt = performance.now()
  let runs = 0
  for (; performance.now() - startedAt < seconds * 1_000; runs += 1) await ask(child, answers)
  const rate = runs / ((performance.now() - startedAt) / 1_000)
  ;(child.stdio[3] as Writable).end()
  await once(child, 'exit')
  return rate
}

async function ask(child: ChildProcess, answers: NodeJS.EventEmitter): Promise<void> {
  const request = { input: 'input.docx', output: 'output.pdf', options: OPTIONS }
  const answer = once(answers, 'line')
  ;(child.stdio[3] as Writable).write(`${JSON.stringify(request)}\n`)
  const [line] = (await answer) as [string]
  if (line.includes('"failure"')) throw new Error(line)
}

/** Without it, every start draws tests of graphics first, which takes three quarters of its time. */
const PROFILE =
  '<?xml version="1.0"?><oor:items xmlns:oor="http://openoffice.org/2001/registry"><item ' +
  'oor:path="/org.openoffice.Setup/Product"><prop oor:name="ooSetupLastVersion" oor:op="fuse"><value>99.9</value>' +
  '</prop></item></oor:items>'

/** The option of LibreOffice that names a profile of its own in this folder. */
export async function createOfficeProfile(folder: string): Promise<string> {
  const user = join(folder, 'profile', 'user')
  await mkdir(user, { recursive: true })
  await writeFile(join(user, 'registrymodifications.xcu'), PROFILE)
  return `-env:UserInstallation=${pathToFileURL(join(folder, 'profile')).href}`
}

/** Starts the program for each document, on each core. */
export async function measureProgram(document: string, folder: string, runs: number): Promise<number> {
  const startedAt = performance.now()
  const loops = Array.from({ length: CORES }, async (_, index) => {
    const home = join(folder, `program-${index}`)
    const options = ['--headless', '--convert-to', 'pdf', '--outdir', home]
    const args = [await createOfficeProfile(home), ...options, document]
    for (let at = 0; at < runs; at += 1) await run('soffice', args)
  })
  await Promise.all(loops)
  return (CORES * runs) / ((performance.now() - startedAt) / 1_000)
}
