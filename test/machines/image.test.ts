import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildImage, type ImageContainer, startImage, whyNoImage } from '../support/hosts/image.ts'
import { eventually } from '../support/machine/eventually.ts'
import { freshFolder } from '../support/machine/folder.ts'

const run = promisify(execFile)
const URL_INSIDE = 'http://127.0.0.1:8080'
const START_WITHIN_MS = 120_000
const reason = whyNoImage()

/** Printed when everything is ready. */
const findKey = (started: ImageContainer) => /svc_test_[0-9a-f]{32}/.exec(started.log())?.[0]

describe.skipIf(reason !== undefined)(`the image${reason === undefined ? '' : `, skipped: ${reason}`}`, () => {
  const namespace = `coinop-${process.pid}-image`
  const cleanUp = new AsyncDisposableStack()
  let place: { folder: string; namespace: string }
  let image: string
  let container: ImageContainer

  async function start(): Promise<ImageContainer> {
    const started = await startImage(image, place)
    cleanUp.use(started)
    await eventually('the service in the image to be ready', () => findKey(started), START_WITHIN_MS)
    return started
  }

  const call = async (path: string, body: object): Promise<Record<string, unknown>> => {
    const key = findKey(container)!
    const headers = ['-H', `authorization: Bearer ${key}`, '-H', 'content-type: application/json']
    return JSON.parse(await container.curl(...headers, '-d', JSON.stringify(body), `${URL_INSIDE}${path}`))
  }

  beforeAll(async () => {
    const { path: folder } = cleanUp.use(await freshFolder())
    await run('ip', ['netns', 'add', namespace])
    cleanUp.defer(async () => void (await run('ip', ['netns', 'delete', namespace])))
    await run('ip', ['netns', 'exec', namespace, 'ip', 'link', 'set', 'lo', 'up'])
    place = { folder, namespace }
    image = await buildImage(folder)
    container = await start()
  }, 1_800_000)
  afterAll(() => cleanUp[Symbol.asyncDispose]())

  test('runs as a user without rights, and its operations lack nothing that an image can have', async () => {
    const users = await container.users()
    expect(users.length).toBeGreaterThan(3)
    expect(new Set(users)).toEqual(new Set([1_000]))
    const { operations } = JSON.parse(await container.curl(`${URL_INSIDE}/v1/capabilities`)) as {
      operations: Record<string, { available: boolean; missing?: { install?: string }[] }>
    }
    const lacking = Object.entries(operations).filter(([, { available }]) => !available)
    const packages = lacking.filter(([, { missing = [] }]) => missing.some(({ install = '' }) => /^apt/.test(install)))
    expect(packages.map(([name]) => name)).toEqual([])
  })

  test('runs programs confined, and reads with one what another has made', async () => {
    expect(container.log()).toContain('"sandboxLevel":2')
    expect(await call('/v1/utils/hash', { text: 'hello' })).toMatchObject({
      hashes: { sha256: '2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824' },
    })
    const printed = await call('/v1/pdf/from-html', { html: '<h1>From the image</h1>' })
    const read = await call('/v1/pdf/extract-text', { file: { inline: (printed.output as { inline: string }).inline } })
    expect(JSON.stringify(read)).toContain('From the image')
  })

  test('stops when it is asked to, and has its data after the next start', async () => {
    const made = await call('/v1/text/slugify', { text: 'Before the stop' })
    expect(made).toMatchObject({ slug: 'before-the-stop' })
    const key = findKey(container)!
    expect(await container.stop()).toBe(0)
    container = await start()
    expect(findKey(container)).toBe(key)
    const jobs = await container.curl('-H', `authorization: Bearer ${key}`, `${URL_INSIDE}/v1/jobs`)
    expect(JSON.parse(jobs).data[0]).toMatchObject({ serviceKey: 'text.slugify', status: 'succeeded' })
  })
})
