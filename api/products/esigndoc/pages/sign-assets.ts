import { readFileSync } from 'node:fs'
import { definePublicPage } from '../../../pages/parts/page.ts'

/** What the page of signers is made of besides its markup: the same for all, so browsers may keep it. */
function serve(name: string, contentType: string) {
  const body = readFileSync(new URL(`../assets/${name}`, import.meta.url))
  const headers = { 'content-type': contentType, 'cache-control': 'public, max-age=300' }
  return definePublicPage(`GET /sign-assets/${name}`, () => ({ headers, body }))
}

export default [
  serve('sign.css', 'text/css; charset=utf-8'),
  serve('sign.js', 'text/javascript; charset=utf-8'),
  serve('editor.js', 'text/javascript; charset=utf-8'),
]
