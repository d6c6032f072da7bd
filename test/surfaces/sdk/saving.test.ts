import { chmod, lstat, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Client } from '../../../api/surfaces/sdk/typescript/client.ts'
import { python } from '../../support/clients/python.ts'
import { freshFolder } from '../../support/machine/folder.ts'

/** Breaks each download off in its middle. */
const server = createServer((request, response) => {
  response.writeHead(200, { 'content-length': '10' }).write('half', () => request.socket.destroy())
})

let url: string
beforeAll(async () => {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => void server.close())

const open = () => new Client({ url, maxInlineBytes: 100, assets: [], calls: [] }, { key: 'k', maxRetries: 1 })
const inline = (text: string) => ({ inline: Buffer.from(text).toString('base64') }) as never
const broken = () => ({ outputUrl: `${url}/file`, outputKey: 'k', sizeBytes: 10, contentType: 'text/plain' }) as never

test('a download that breaks off leaves no half of a file, and what was there before', async () => {
  await using folder = await freshFolder()
  const path = join(folder.path, 'ö kept.txt')
  await expect(open().save(broken(), path)).rejects.toMatchObject({ code: 'CONNECTION_FAILED' })
  expect(await readdir(folder.path)).toEqual([])
  await writeFile(path, 'before')
  await expect(open().save(broken(), path)).rejects.toMatchObject({ code: 'CONNECTION_FAILED' })
  expect([await readdir(folder.path), await readFile(path, 'utf8')]).toEqual([['ö kept.txt'], 'before'])
})

test('a saved file keeps the mode of the one before, goes through a link and into a device', async () => {
  await using folder = await freshFolder()
  const [path, link] = [join(folder.path, 'a.txt'), join(folder.path, 'link')]
  await writeFile(path, 'before')
  await chmod(path, 0o640)
  await symlink(path, link)
  await open().save(inline('after'), link)
  expect(await readFile(path, 'utf8')).toBe('after')
  expect([(await stat(path)).mode & 0o777, (await lstat(link)).isSymbolicLink()]).toEqual([0o640, true])
  await open().save(inline('by address'), pathToFileURL(path))
  expect(await readFile(path, 'utf8')).toBe('by address')
  await open().save(inline('gone'), '/dev/null')
  expect((await stat('/dev/null')).isCharacterDevice()).toBe(true)
})

test('Python leaves no half of a file either, where the disk takes no more', async () => {
  await using folder = await freshFolder()
  const path = join(folder.path, 'kept.txt')
  await writeFile(path, 'before')
  const program = `
import resource, signal
from coinop.paths import write_path
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
print(json.dumps([outcome(lambda: write_path(given["path"], b"x" * 100000)), outcome(lambda: write_path("/dev/null", b"x"))]))
`
  const [failure, device] = (await python(program, { path })) as [string, null]
  expect([failure, device]).toEqual([expect.stringContaining('File too large'), null])
  expect([await readdir(folder.path), await readFile(path, 'utf8')]).toEqual([['kept.txt'], 'before'])
})
