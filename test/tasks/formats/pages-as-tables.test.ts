import { expect, test } from 'vitest'
import { runOperation } from '../../support/operations/run.ts'

const PAGES = [
  '<!DOCTYPE html><html><body><table><tr><td>a,b</td></tr></table></body></html>',
  '\n<html lang="en">\n<p>Not found</p></html>',
  '<?xml version="1.0"?><!doctype html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN"><html/>',
]

test.each([
  ['csv.convert', { to: 'json' }],
  ['csv.select', { columns: ['a'] }],
  ['data.slice', { limit: 1 }],
])('%s takes no web page for a table', async (operation, options) => {
  for (const text of PAGES)
    await expect(runOperation(operation, { file: { text }, ...options })).rejects.toMatchObject({
      code: 'UNSUPPORTED_FORMAT',
      hints: { detected: 'text/html' },
    })
})

test('a table may begin with something in angle brackets', async () => {
  const answer = await runOperation('csv.convert', { file: { text: '<name>,html\n<html>,1\n' }, to: 'json' })
  expect(JSON.parse(Buffer.from(answer.output!.bytes!).toString())).toEqual([{ '<name>': '<html>', html: '1' }])
})
