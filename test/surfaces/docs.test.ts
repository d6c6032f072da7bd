import { readFile, stat } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { DOCS_ASSETS, DOCS_POLICY, docsPage } from '../../api/surfaces/docs.ts'

const page = docsPage('1.2.3')
const named = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address!)

test('every address of the page is relative, so nothing is asked of another host', () => {
  expect(named.length).toBeGreaterThan(5)
  for (const address of named) expect(address).not.toMatch(/^([a-z]+:|\/)/)
})

test('every asset the page asks for is served from a file that is there', async () => {
  const assets = named.filter(address => address.startsWith('docs/')).map(address => address.slice(5))
  expect(new Set(assets)).toEqual(new Set(Object.keys(DOCS_ASSETS)))
  for (const { file } of Object.values(DOCS_ASSETS)) expect((await stat(file)).size).toBeGreaterThan(0)
})

test('the page keeps its own policy: no script and no style stands in it', async () => {
  expect(DOCS_POLICY).toContain("script-src 'self'")
  expect(DOCS_POLICY).not.toContain('unsafe')
  expect(page).not.toMatch(/<script>|<style|\son[a-z]+=|\sstyle=/)
  expect(await readFile(DOCS_ASSETS['page.js']!.file, 'utf8')).not.toMatch(/\beval\b|new Function/)
})
