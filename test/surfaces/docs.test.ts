import { readFile, stat } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { DOCS_ASSETS, DOCS_POLICY, renderDocsPage } from '../../api/surfaces/docs/page.ts'

const page = renderDocsPage('1.2.3')
const addresses = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address!)

test('every address in the page is relative, so nothing is loaded from another host', () => {
  expect(addresses.length).toBeGreaterThan(5)
  for (const address of addresses) expect(address).not.toMatch(/^([a-z]+:|\/)/)
})

test('every asset of the page is served from a file that exists', async () => {
  const assets = addresses.filter(address => address.startsWith('docs/')).map(address => address.slice(5))
  expect(new Set(assets)).toEqual(new Set(Object.keys(DOCS_ASSETS)))
  for (const { file } of Object.values(DOCS_ASSETS)) expect((await stat(file)).size).toBeGreaterThan(0)
})

test('the page follows its own policy: it has no inline script or style', async () => {
  expect(DOCS_POLICY).toContain("script-src 'self'")
  expect(DOCS_POLICY).not.toContain('unsafe')
  expect(page).not.toMatch(/<script>|<style|\son[a-z]+=|\sstyle=/)
  expect(await readFile(DOCS_ASSETS['page.js']!.file, 'utf8')).not.toMatch(/\beval\b|new Function/)
})
