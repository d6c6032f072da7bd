import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { checkPlugin } from '../../../ops/plugins/check.ts'
import { freshFolder } from '../../support/machine/folder.ts'
import { shout } from '../../support/plugins/files.ts'

test.each([
  ['loops', 'for (;;);', /^bad\.ts: it does not end loading within 15 seconds$/],
  ['leaves', 'process.exit(0)', /^bad\.ts: it ends the process that loads it: /],
  ['kills', 'process.kill(process.pid, "SIGKILL")', /^bad\.ts: it ends the process that loads it: /],
  ['waits for ever', 'await new Promise(() => undefined)', /^bad\.ts: it (does not end loading|ends the process)/],
  [
    'fills the heap',
    'const all = []; for (;;) all.push(new Array(1e6).fill(all.length + Math.random()))',
    /^bad\.ts: /,
  ],
])('what %s while it is loaded is refused', async (_title, top, fault) => {
  await using folder = await freshFolder()
  const path = join(folder.path, 'bad.ts')
  await writeFile(path, shout({ name: 'acme.bad', top }))
  expect(await checkPlugin(path)).toMatchObject({ examples: [], fault: expect.stringMatching(fault) })
})

test.each([
  ['kills itself', 'process.kill(process.pid, "SIGKILL")', /crashed/],
  ['fills the heap', 'const all = []; for (;;) all.push(new Array(1e6).fill(all.length + Math.random()))', /memory/],
  ['reads what is not its own', `await import('node:fs').then(fs => fs.readFileSync('/etc/shadow'))`, /ENOENT|EACCES/],
  ['answers what it does not declare', 'return { result: { letters: "many" } }', /does not fit its schema/],
  [
    'answers another type',
    `return { result: { letters: 1, output: { bytes: new Uint8Array(1), contentType: 'image/png', name: 'x' } } }`,
    /not declared/,
  ],
])('what %s in a call fails alone', async (_title, body, fault) => {
  await using folder = await freshFolder()
  const path = join(folder.path, 'bad.ts')
  // Filling the heap takes seconds on a slow machine, and the limit of time is not what is tried here.
  await writeFile(path, shout({ name: 'acme.bad', body: `const loud = text; ${body}`, limitSeconds: 60 }))
  const { examples } = await checkPlugin(path)
  expect(examples[0]!.fault).toMatch(fault)
})
