import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { loadCatalog } from '../../api/catalog.ts'
import { renderPython } from '../../api/surfaces/code/python.ts'
import { renderTypeScript } from '../../api/surfaces/code/typescript.ts'
import { expectGood } from '../support/browser/good.ts'
import { closePages, collectErrors, openBrowser, saveScreenshot } from '../support/browser/open.ts'
import { freshFolder } from '../support/machine/folder.ts'
import { openDefaultStack } from '../support/stack/default.ts'
import type { Customer, Stack } from '../support/stack/start.ts'

const run = promisify(execFile)
const { entries } = await loadCatalog()

let stack: Stack
let customer: Customer
let browser: Browser
beforeAll(async () => {
  ;[stack, browser] = await Promise.all([openDefaultStack(), openBrowser()])
  customer = await stack.customer(10_000_000n)
})
afterAll(async () => {
  await closePages(browser)
  await stack[Symbol.asyncDispose]()
})

async function openPage(path: string, width = 1280): Promise<Page> {
  const context = await browser.newContext({ viewport: { width, height: 900 } })
  const page = await context.newPage()
  await page.goto(stack.url + path)
  return page
}

/** Looks at pages one after the other in one window, and expects that none of them has errors. */
async function expectGoodPages(pages: readonly (readonly [path: string, width: number, scheme: 'light' | 'dark'])[]) {
  await using context = await browser.newContext()
  const page = await context.newPage()
  const errors = collectErrors(page)
  for (const [path, width, colorScheme] of pages) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme })
    await page.goto(stack.url + path)
    await expectGood(page, `${path.replaceAll('/', '-')}-${width}-${colorScheme}`)
    expect([path, errors]).toEqual([path, []])
  }
}

test('pages on a phone and a desk, light and dark: no violation of axe, no error, nothing wider than the window', async () => {
  await expectGoodPages([
    ['/docs', 1280, 'light'],
    ['/docs/pdf', 390, 'dark'],
    ['/docs/pdf/watermark', 1280, 'dark'],
    ['/docs/image/composite', 390, 'light'],
    ['/docs/jobs/read', 390, 'light'],
    ['/changelog', 390, 'dark'],
    ['/status', 390, 'light'],
    ['/status', 1440, 'dark'],
  ])
})

test('a page and all that it loads is below 400 kB compressed', async () => {
  const page = await openPage('/docs/pdf/watermark')
  const addresses = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name))
  const files = await Promise.all(
    [page.url(), ...addresses].map(async url => new Uint8Array(await (await fetch(url)).arrayBuffer())),
  )
  expect(files.length).toBeGreaterThan(4)
  expect(files.reduce((sum, bytes) => sum + gzipSync(bytes).length, 0)).toBeLessThan(400_000)
  await page.context().close()
})

test('the search takes the keyboard, narrows the list and opens a call', async () => {
  const page = await openPage('/docs')
  await page.keyboard.press('/')
  await page.keyboard.type('merge pdf')
  await page.locator('#found a').first().waitFor()
  expect(await page.locator('#found a').first().textContent()).toBe('pdf.merge Merge PDFs in the order given.')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/docs/pdf/merge')
  expect(await page.locator('h1').textContent()).toBe('pdf.merge')
  await page.context().close()
})

test('the form makes the call with a sample, shows its price, the picture it made and what it cost', async () => {
  const page = await openPage('/docs/image/resize')
  const errors = collectErrors(page)
  await page.getByLabel('Your key').fill(customer.key)
  await page.getByRole('button', { name: 'or use the sample' }).first().click()
  await page.waitForFunction(() => document.querySelector<HTMLInputElement>('input[type=file]')!.files!.length === 1)
  await page.getByRole('button', { name: 'Show the price' }).click()
  await page.getByText('"expected"').waitFor()
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText(/charged 0\.00\d+ USD/).waitFor()
  const image = page.getByAltText('The output')
  await image.waitFor()
  expect(
    await image.evaluate(async (element: HTMLImageElement) => element.decode().then(() => element.naturalWidth)),
  ).toBeGreaterThan(0)
  await saveScreenshot(page, 'docs-tried')
  expect(errors).toEqual([])
  await page.context().close()
})

test('a width is one line that takes pixels or per cent, and an answer is brought into view', async () => {
  const page = await openPage('/docs/image/resize', 390)
  const width = page.locator('#try-body-width')
  expect(await width.evaluate(element => element.tagName)).toBe('INPUT')
  for (const [given, sent] of [
    ['50%', '50%'],
    ['20', 20],
  ] as const) {
    await width.fill(given)
    const [request] = await Promise.all([
      page.waitForRequest('**/v1/image/resize'),
      page.getByRole('button', { name: 'Send' }).click(),
    ])
    expect(JSON.parse(request.postData()!)).toMatchObject({ width: sent })
    await page.locator('.answer').getByText('Failed').waitFor()
  }
  const [send, answer] = ['.try .row', '.answer .pill'].map(selector => page.locator(selector))
  const [top, bottom] = await Promise.all([send, answer].map(async place => (await place!.boundingBox())!.y))
  expect(top).toBeGreaterThan(0)
  expect(bottom).toBeLessThan(900)
  await page.context().close()
})

test('fields inside of fields are closed at first', async () => {
  const page = await openPage('/docs/pdf/watermark')
  const inner = page.locator('.inner details')
  expect(await inner.count()).toBeGreaterThan(0)
  expect(await page.locator('.inner details[open]').count()).toBe(0)
  expect(await page.locator('.inner .fields').first().isVisible()).toBe(false)
  await inner.first().locator('summary').first().click()
  expect(await page.locator('.inner .fields').first().isVisible()).toBe(true)
  await page.context().close()
})

test.each([
  ['pdf.merge', 'pdf/merge'],
  ['pdf.merge.md', 'pdf/merge.md'],
  ['doc_to_markdown', 'doc/to-markdown'],
  ['v1/pdf/merge', 'pdf/merge'],
])('/docs/%s leads to /docs/%s', async (from, to) => {
  const answer = await fetch(`${stack.url}/docs/${from}`, { redirect: 'manual' })
  expect([answer.status, answer.headers.get('location')]).toEqual([308, `/docs/${to}`])
})

test('the form shows tables and problems', async () => {
  const page = await openPage('/docs/csv/select')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.locator('.answer').getByText('Failed').waitFor()
  await page.getByRole('button', { name: 'or use the sample' }).click()
  await page.getByLabel('Your key').fill(customer.key)
  await page.getByRole('button', { name: 'Send' }).click()
  await page.locator('.answer td').getByText('Ada').waitFor()
  await page.context().close()
})

test('a file deep in the input is sent as the example says', async () => {
  const page = await openPage('/docs/image/composite')
  await page.getByLabel('Your key').fill(customer.key)
  await page.getByRole('button', { name: 'or use the sample' }).first().click()
  await page.waitForFunction(() => document.querySelector<HTMLInputElement>('input[type=file]')!.files!.length === 1)
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByAltText('The output').waitFor()
  await page.context().close()
})

test('every page of the reference is there, also as Markdown', async () => {
  for (const { name, family } of entries) {
    const path = `/docs/${family}/${name.slice(family.length + 1)}`
    const [page, text] = await Promise.all([stack.anonymous.get(path), stack.anonymous.get(`${path}.md`)])
    expect([page.status, text.status], path).toEqual([200, 200])
    expect(page.text).toContain(`<h1>${name}</h1>`)
    expect(text.text).toContain(`# ${name}\n`)
  }
  for (const path of ['/docs/nothing', '/docs/pdf/nothing', '/docs/pdf/merge/more', '/docs/.md'])
    expect((await stack.anonymous.get(path)).status, path).toBe(404)
})

test('the printed programs run as they stand', async () => {
  await using folder = await freshFolder()
  const hasRequests = await run('python3', ['-c', 'import requests']).then(
    () => true,
    () => false,
  )
  const named = ['pdf.merge', 'image.composite', 'utils.hash', 'csv.select', 'text.template', 'archive.zip']
  const programs = entries.filter(({ name }) => named.includes(name))
  for (const entry of programs) {
    const [example] = entry.examples
    for (const name of JSON.stringify(example).match(/(?<="sample:)[^"]+/g) ?? []) {
      const bytes = await (await fetch(`${stack.url}/docs/samples/${name}`)).arrayBuffer()
      await writeFile(join(folder.path, name), new Uint8Array(bytes))
    }
    await writeFile(join(folder.path, `${entry.name}.mts`), renderTypeScript(entry, example!, stack.url))
    await writeFile(join(folder.path, `${entry.name}.py`), renderPython(entry, example!, stack.url))
  }
  expect(programs.length).toBe(named.length)
  // All in one process of each language, because to start one takes longer than to run a program.
  const options = { cwd: folder.path, env: { ...process.env, KEY: customer.key }, maxBuffer: 64 << 20 }
  const imports = programs.map(({ name }) => `await import('./${name}.mts')`)
  await run(process.execPath, ['--input-type=module', '-e', imports.join('\n')], options)
  const files = programs.map(({ name }) => `${name}.py`)
  const runAll = 'import runpy, sys\nfor name in sys.argv[1:]: runpy.run_path(name, run_name="__main__")'
  await run('python3', [...(hasRequests ? ['-c', runAll] : ['-m', 'py_compile']), ...files], options)
})
