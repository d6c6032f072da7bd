import { readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import sharp from 'sharp'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Progress } from '../../../api/surfaces/sdk/typescript/types.ts'
import { type InstalledClients, installClients, readPythonProgram } from '../../support/clients/install.ts'
import { ROOT } from '../../support/house/files.ts'
import { openDefaultStack } from '../../support/stack/default.ts'
import type { Customer, Stack } from '../../support/stack/start.ts'

const SAMPLES = join(ROOT, 'tasks/samples')
const STORIES = fileURLToPath(new URL('stories', import.meta.url))

let stack: Stack
let customer: Customer
let clients: InstalledClients
beforeAll(async () => {
  stack = await openDefaultStack()
  customer = await stack.customer()
  clients = await installClients(stack, customer.key)
})
afterAll(() => stack[Symbol.asyncDispose]())

const sizeOf = async (name: string) => {
  const { format, width } = await sharp(await readFile(join(clients.folder, name))).metadata()
  return { format, width }
}

test('the commands of the README end with an image, from an empty folder', async () => {
  expect(await sizeOf('out.webp')).toEqual({ format: 'webp', width: 400 })
  await writeFile(join(clients.folder, 'readme.py'), await readPythonProgram())
  await clients.python('readme.py', '')
  expect(await sizeOf('out.webp')).toEqual({ format: 'webp', width: 400 })
})

test('programs compile with the types of the package, and wrong calls do not', async () => {
  await writeFile(join(clients.folder, 'calls.ts'), await readFile(join(STORIES, 'calls.ts')))
  const options = {
    strict: true,
    module: 'nodenext',
    target: 'es2024',
    noEmit: true,
    lib: ['esnext', 'dom'],
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules/@types')],
  }
  await symlink(join(ROOT, 'node_modules/viem'), join(clients.folder, 'node_modules/viem'))
  const project = { compilerOptions: options, files: ['calls.ts'] }
  await writeFile(join(clients.folder, 'tsconfig.json'), JSON.stringify(project))
  await writeFile(join(clients.folder, 'package.json'), JSON.stringify({ type: 'module' }))
  const compile = ['--project', clients.folder]
  const compiled = await execa('tsc', compile, { preferLocal: true, localDir: ROOT, reject: false })
  expect(compiled.stdout).toBe('')
})

test('the TypeScript client sends files, uploads large ones, asks for prices, waits for tickets and names errors', async () => {
  const { Coinop, UnknownFieldError, verifyReceipt } = await clients.load()
  const client = new Coinop({ key: customer.key })
  const charges: (bigint | undefined)[] = []
  const onCharge = ({ chargedMicros }: { chargedMicros?: bigint }) => charges.push(chargedMicros)
  const image = await readFile(join(SAMPLES, 'gradient.png'))
  const files = [join(SAMPLES, 'gradient.png'), image, new Blob([image]), new Blob([image]).stream()]
  for (const file of files) {
    const { output } = await client.image.resize({ file, width: 40 }, { onCharge })
    expect((await sharp(await client.download(output)).metadata()).width).toBe(40)
    expect((await client.image.metadata({ file: output })).width).toBe(40)
  }
  expect(charges).toEqual([1_000n, 1_000n, 1_000n, 1_000n])
  const large = Buffer.alloc(5 * 2 ** 20, 'a')
  const uploaded: number[] = []
  const hashed = await client.utils.hash(
    { file: large },
    { onProgress: ({ done, total }: Progress) => uploaded.push(done / total) },
  )
  expect([hashed.sizeBytes, uploaded.at(-1)]).toEqual([large.length, 1])
  const { balance } = await customer.money()
  expect(
    (await client.pdf.merge.quote({ files: [join(SAMPLES, 'two-pages.pdf'), join(SAMPLES, 'bookmarked.pdf')] })).quote,
  ).toMatchObject({ atMost: '4000' })
  const tooDear = client.utils.hash({ text: 'a' }, { maxPriceMicros: 999 })
  await expect(tooDear).rejects.toMatchObject({ code: 'PRICE_ABOVE_LIMIT', hints: { amountMicros: '1000' } })
  expect(await customer.money()).toMatchObject({ balance })
  const ticket = await client.image.resize.start({ file: image, width: 30 })
  const { output: small } = await ticket.wait()
  expect(small.contentType).toBe('image/png')
  const [receipt, keys] = await Promise.all([client.receipt(ticket.id), client.system.jwks()])
  for (const file of [image, await client.download(small)])
    expect(await verifyReceipt(receipt, keys, new Uint8Array(file))).toEqual(receipt.payload)
  expect((await client.ticket(ticket.id).read()).status).toBe('succeeded')
  const given: string[] = []
  const followed = { waitSeconds: 0, onCharge, onTicket: ({ id }: { id: string }) => given.push(id) }
  await client.image.resize({ file: image, width: 31 }, followed)
  expect([(await client.ticket(given[0]!).read()).status, charges.at(-1)]).toEqual(['succeeded', 1_000n])
  const refused = await client.utils.hash({ tex: 'a' }).catch((error: unknown) => error)
  expect(refused).toBeInstanceOf(UnknownFieldError)
  expect(refused).toMatchObject({ code: 'UNKNOWN_FIELD', status: 400, hints: { didYouMean: 'text' } })
  expect(await client.jobs.read({ id: ticket.id })).toMatchObject({ serviceKey: 'image.resize' })
  await expect(client.jobs.list({ limit: 2, nothing: 1 })).rejects.toThrow('jobs.list has no argument nothing')
})

test('what goes by other ways than fields: keys in paths, headers, bytes and documents', async () => {
  const { Coinop } = await clients.load()
  const client = new Coinop({ key: customer.key })
  expect(await client.leases.createStorage.quote({ file: Buffer.from('abc') })).toMatchObject({
    cost_micros: expect.anything(),
  })
  const lease = await client.leases.createStorage({
    file: Buffer.from('abc'),
    filename: 'a b.txt',
    contentType: 'text/plain',
  })
  expect(lease).toMatchObject({ filename: 'a b.txt', content_type: 'text/plain', size_bytes: 3 })
  expect(await client.leases.readStorage({ lease_id: lease.lease_id })).toBe('abc')
  const named = await client.leases.createStorage({ file: Buffer.from('abc'), filename: 'ü 花.txt' })
  expect(named.filename).toBe('ü 花.txt')
  const { output } = await client.image.resize({ file: join(SAMPLES, 'gradient.png'), width: 20 })
  expect(await client.outputs.read({ key: output.outputKey })).toMatchObject({ outputKey: output.outputKey })
  const renewed = await client.download({ ...output, inline: undefined, outputUrl: `${stack.url}/files/none` })
  expect(renewed).toHaveLength(output.sizeBytes)
})

test('the command line works with folders, patterns, pipes, prices and exit codes', async () => {
  const { shell, folder } = clients
  const { stdout } = await shell(`
    export PATH=$PWD/node_modules/.bin:$PATH COINOP_KEY=$KEY
    mkdir -p images; cp in.png images/a.png; cp in.png images/b.png
    coinop image resize images --width 20 -o small
    coinop image resize 'images/?.png' --width 30 -o small/wide
    cat in.png | coinop image resize --width 25 > piped.png
    coinop image resize in.png --width 400 --quote
    coinop text.slugify "Hello, world" --json
    coinop search rotate a pdf | head -1 || true
    coinop --complete image resize --fit co
    for wrong in "image resiz" "image resize --wdth 3" "image resize in.png --width 0" "image resize no.png --width 3"; do
      coinop $wrong 2>/dev/null && echo done || echo $?
    done
    COINOP_KEY=svc_test_wrong coinop balance 2>/dev/null || echo $?
    COINOP_URL=http://127.0.0.1:1 coinop balance 2>/dev/null || echo $?
    for shell in bash zsh fish; do coinop completion $shell > complete.$shell; done; bash -n complete.bash`)
  const [quote, slug, found, ...others] = stdout.trim().split('\n')
  expect([quote, JSON.parse(slug!), found]).toEqual(['0.001 USD', { slug: 'hello-world' }, 'coinop pdf rotate'])
  expect(others).toEqual(['cover', 'contain', '2', '2', '1', '2', '3', '4'])
  const widths = await Promise.all(['small/a.png', 'small/b.png', 'small/wide/b.png', 'piped.png'].map(sizeOf))
  expect(widths.map(({ width }) => width)).toEqual([20, 20, 30, 25])
  const { mode } = await stat(join(folder, 'config/coinop/keys.json'))
  expect(mode & 0o777).toBe(0o600)
})

test('what is piped is the file of a call that takes a text or a file', async () => {
  const { stdout } = await clients.shell(`
    export PATH=$PWD/node_modules/.bin:$PATH COINOP_KEY=$KEY
    echo "Hello, world" | coinop text slugify --json
    echo "Hello, world" | coinop text slugify --quote
    echo "Hello, world" | coinop text slugify --text "Another text" --json`)
  expect(stdout).toBe('{"slug":"hello-world"}\n0.001 USD\n{"slug":"another-text"}\n')
})

test('inputs with one name each keep their output, and no input is written over', async () => {
  const { stdout } = await clients.shell(`
    export PATH=$PWD/node_modules/.bin:$PATH COINOP_KEY=$KEY
    mkdir -p left right; cp in.png left/a.png; cp in.png right/a.png
    coinop image resize left/a.png right/a.png --width 10 -o both
    (cd left; coinop image resize a.png --width 11 -o .)
    ls both left`)
  expect(stdout.trim().split(/\s+/)).toEqual(['both:', 'a-2.png', 'a.png', 'left:', 'a-2.png', 'a.png'])
  const widths = await Promise.all(['both/a.png', 'both/a-2.png', 'left/a.png', 'left/a-2.png'].map(sizeOf))
  expect(widths.map(({ width }) => width)).toEqual([10, 10, 800, 11])
})

test('the command pays nothing for a file that it could not write', async () => {
  const { balance } = await customer.money()
  const { stdout } = await clients.shell(`
    export PATH=$PWD/node_modules/.bin:$PATH COINOP_KEY=$KEY
    coinop image resize in.png --width 9 -o none/a.png 2>&1 || echo $?`)
  expect(stdout).toBe('coinop: there is no folder none for -o: make it first\n2\n')
  expect(await customer.money()).toMatchObject({ balance })
})

test('several answers are refused a pipe or a file before anything is paid, and login refuses what it would pass over', async () => {
  const { balance } = await customer.money()
  const { stdout } = await clients.shell(`
    export PATH=$PWD/node_modules/.bin:$PATH COINOP_KEY=$KEY
    mkdir -p pair; cp in.png pair/a.png; cp in.png pair/b.png
    coinop image resize pair --width 9 2>&1 | cat || true
    coinop image resize pair --width 9 -o - 2>&1 | cat || true
    coinop image resize pair --width 9 -o one.png 2>&1 || echo $?
    coinop login --key $KEY --url http://127.0.0.1:1 2>&1 || echo $?
    ls -d one.png ./- 2>/dev/null || true`)
  expect(stdout.trim().split('\n')).toEqual([
    'coinop: several files cannot go into one pipe: choose a folder for them with -o',
    'coinop: several files cannot go into one pipe: choose a folder for them with -o',
    'coinop: several files cannot go into one.png: choose a folder with -o one.png/',
    '2',
    'coinop: coinop login takes no --url: COINOP_URL names another installation',
    '2',
  ])
  expect(await customer.money()).toMatchObject({ balance })
})

test('a key from a file may end with a line break, and what is no key or no file is refused before it is sent', async () => {
  const { Coinop } = await clients.load()
  expect(await new Coinop({ key: `${customer.key}\n` }).text.slugify({ text: 'Hello' })).toEqual({ slug: 'hello' })
  expect(() => new Coinop({ key: 'a key' })).toThrow('key is no API key')
  const hashed = new Coinop({ key: customer.key }).utils.hash({ file: SAMPLES })
  await expect(hashed).rejects.toThrow(`${SAMPLES} is a folder, not a file`)
})

test('the Python client does the same, by the standard library and by httpx', async () => {
  const input = JSON.stringify({ key: customer.key, samples: SAMPLES })
  const answer = JSON.parse(await clients.python(join(STORIES, 'calls.py'), input)) as object
  expect(answer).toEqual({
    widths: [40, 40, 40, 40],
    charges: [1_000, 1_000, 1_000, 1_000],
    uploaded: [5 * 2 ** 20, 1],
    at_most: '4000',
    receipt: '1000',
    ticket: ['image/png', 'succeeded'],
    followed: ['succeeded', 1_000],
    refused: ['UnknownFieldError', 'UNKNOWN_FIELD', 400, 'text'],
    lease: ['a b.txt', 3, 'abc'],
    name: 'ü 花.txt',
    name_by_httpx: 'ü 花.txt',
    after_half_a_request: 'hello',
    by_httpx: ['hello', 5 * 2 ** 20],
    awaited: [1, 2, 3],
    late: ['CONNECTION_FAILED', true, 'There was no answer within 0.3 s; the call may go on.'],
    key_of_a_file: 'hello',
    no_key: 'key is no API key: it is empty, or has characters that keys do not have',
    unknown: 'jobs.list has no argument nothing; it has status, from, to, operation, key, limit, offset',
  })
})
