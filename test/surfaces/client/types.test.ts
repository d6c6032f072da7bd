import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { expect, test } from 'vitest'
import { openInProcessApi } from '../../support/stack/in-process-api.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const stories = fileURLToPath(new URL('typed', import.meta.url))

test('the stories compile with types generated from the running service, and their mistakes do not', async () => {
  await using api = await openInProcessApi()
  const { payload } = await api.app.inject('/openapi.json')
  const folder = await mkdtemp(join(tmpdir(), 'client-'))
  try {
    const printTypes = fileURLToPath(new URL('print-types.ts', import.meta.url))
    const { stdout: types } = await execa(process.execPath, [printTypes], { input: payload })
    expect(types).not.toContain('Record<string, never>[]')
    await writeFile(join(folder, 'api.d.ts'), types)
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(configure(folder)))
    const compiled = await execa('tsc', ['--project', folder], { preferLocal: true, localDir: root, reject: false })
    expect(compiled.stdout).toBe('')
    expect(compiled.exitCode).toBe(0)
  } finally {
    await rm(folder, { recursive: true })
  }
}, 300_000)

/** The folder of the stories and that of the types count as one, so that the stories find `./api.d.ts`. */
function configure(folder: string): object {
  return {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      incremental: false,
      tsBuildInfoFile: null,
      rootDirs: [stories, folder],
      typeRoots: [join(root, 'node_modules/@types')],
    },
    include: [join(stories, '*.ts')],
    exclude: [],
  }
}
