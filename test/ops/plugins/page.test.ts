import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadCatalog } from '../../../api/catalog.ts'
import { explainTakenName } from '../../../ops/plugins/operations.ts'
import { ROOT } from '../../support/house/files.ts'
import { freshFolder } from '../../support/machine/folder.ts'
import { runCheck } from '../../support/plugins/check.ts'

const PAGE = join(ROOT, 'ops/plugins.md')

async function readBlock(language: string): Promise<string> {
  const page = await readFile(PAGE, 'utf8')
  return new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(page)![1]!
}

test('the module and the program of the page run as printed', async () => {
  await using folder = await freshFolder()
  const file = join(folder.path, 'acme-stamp.ts')
  await writeFile(file, await readBlock('ts'))
  expect(await runCheck(file)).toEqual({
    code: 0,
    text: 'acme.stamp can be taken into service as POST /v1/acme/stamp\n  "A draft" runs as printed, for 0.002 USD\n',
  })
  const program = join(folder.path, 'sort')
  await mkdir(program)
  await writeFile(join(program, 'plugin.json'), await readBlock('json'))
  await writeFile(join(program, 'sort.sh'), await readBlock('sh'), { mode: 0o755 })
  expect(await runCheck(program)).toMatchObject({
    code: 0,
    text: expect.stringContaining('"Three lines" runs as printed'),
  })
  await writeFile(join(program, 'sort.sh'), '#!/bin/sh\nexit 3\n')
  expect(await runCheck(program)).toMatchObject({ code: 1, text: expect.stringContaining('does not: exit code 3') })
})

test('no plugin can have a family, a path or a tool of ours', async () => {
  const { entries } = await loadCatalog()
  const words = entries.flatMap(({ family, path, tool = '' }) => [
    ...[family, tool.split('_')[0]!],
    ...(path.startsWith('/v1/') ? [path.split('/')[2]!] : []),
  ])
  const free = [...new Set(words)].filter(word => /^[a-z]/.test(word) && explainTakenName(`${word}.x`) === undefined)
  expect(free).toEqual([])
})
