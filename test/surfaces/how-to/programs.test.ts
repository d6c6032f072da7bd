import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { loadCatalog } from '../../../api/catalog.ts'
import { printCurl } from '../../../api/surfaces/code/program/curl.ts'
import { printPython } from '../../../api/surfaces/code/program/python.ts'
import { printTypeScript } from '../../../api/surfaces/code/program/typescript.ts'
import { answerField, answerFile } from '../../../api/surfaces/how-to/declaration.ts'
import { howTos, resolveSteps } from '../../../api/surfaces/how-to/load.ts'
import { printPrograms } from '../../../api/surfaces/how-to/programs.ts'

const { entries } = await loadCatalog()
const URL = 'https://api.example'

test('every page has its calls, four pitfalls and programs in all languages', () => {
  expect(howTos.length).toBeGreaterThanOrEqual(24)
  expect(new Set(howTos.map(({ slug }) => slug)).size).toBe(howTos.length)
  expect(new Set(howTos.map(({ title }) => title)).size).toBe(howTos.length)
  for (const page of howTos) {
    expect([page.slug, page.pitfalls.length]).toEqual([page.slug, 4])
    expect(printPrograms(page, entries, URL)).toHaveLength(page.payer === undefined ? 4 : 3)
  }
})

test('texts with quotes, backslashes and line breaks mean the same in every language', () => {
  const text = 'It\'s "50 %" \\ of\nŁódź'
  const steps = resolveSteps(
    { title: '', lead: '', keywords: '', pitfalls: [], steps: [{ call: 'utils.hash', input: { text } }] },
    entries,
  )
  const literal = (program: string, pattern: RegExp) => pattern.exec(program)![1]!
  const typescript = literal(printTypeScript(steps), /text: ('.*') }/)
  expect(runInNewContext(typescript)).toBe(text)
  expect(JSON.parse(literal(printPython(steps), /text=(".*")\)/))).toBe(text)
  const json = literal(printCurl(steps, URL), /-d '([\s\S]*)'/).replaceAll(String.raw`'\''`, "'")
  expect(JSON.parse(json)).toEqual({ text })
})

test('values of an earlier answer are passed on', () => {
  const page = {
    ...{ title: '', lead: '', keywords: '', pitfalls: [] },
    steps: [
      { call: 'pdf.merge', input: { files: ['sample:letter.pdf', 'sample:leaflet.pdf'] }, as: 'merged' },
      { call: 'pdf.compress', input: { file: answerFile('merged') } },
      { call: 'jobs.read', input: { id: answerField('merged', 'links.0.url', 1) } },
    ],
  }
  const steps = resolveSteps(page, entries)
  const curl = printCurl(steps, URL)
  expect(curl).toContain('merged_key=$(jq -r .output.outputKey <<< "$merged")')
  expect(curl).toContain(`merged_links_url_part=$(jq -r '.links[0].url | split("/")[-2]' <<< "$merged")`)
  expect(curl).toContain(`${URL}/v1/jobs/$merged_links_url_part`)
  expect(printTypeScript(steps)).toContain("id: merged.links[0].url.split('/').at(-2)")
  expect(printPython(steps)).toContain('id=merged["links"][0]["url"].split("/")[-2]')
  expect(printPython(steps)).toContain('file=merged["output"]')
})
