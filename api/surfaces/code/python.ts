import type { Entry, Example } from '#kit'
import { printWithSamples, readSampleInput } from './sample-input.ts'

/** A program for Python with the package `requests`. */
export function renderPython(entry: Entry, example: Example, publicUrl: string): string {
  const { samples, parts, fields } = readSampleInput(entry, example)
  const isForm = parts.length > 0
  const hasOptions = Object.keys(fields).length > 0
  const imports = ['base64', 'json', 'os'].filter(
    name => name === 'os' || (name === 'json' ? isForm && hasOptions : !isForm && samples.length > 0),
  )
  const files = parts.map(([name, file]) => `    ("${name}", open("${file}", "rb")),`)
  const sent = isForm
    ? ['    files=files,', ...(hasOptions ? [`    data={"options": json.dumps(${print(fields, 1)})},`] : [])]
    : [`    json=${print(fields, 1)},`]
  const lines = [
    ...imports.map(name => `import ${name}`),
    'import requests\n',
    ...(isForm ? ['files = [', ...files, ']'] : []),
    `response = requests.${entry.method.toLowerCase()}(`,
    `    "${publicUrl}${entry.path}",`,
    '    headers={"Authorization": "Bearer " + os.environ["KEY"]},',
    ...sent,
    ')',
    'result = response.json()',
    'if not response.ok:',
    '    raise RuntimeError(result["code"] + ": " + result["error"])',
    'print(result)',
  ]
  return lines.join('\n')
}

/** JSON is Python but for three words, which stand outside of strings. */
function print(fields: object, depth: number): string {
  const json = printWithSamples(
    fields,
    4,
    name => `{"inline": base64.b64encode(open("${name}", "rb").read()).decode()}`,
  )
  const words: Record<string, string> = { true: 'True', false: 'False', null: 'None' }
  const python = json.replaceAll(/"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g, token => words[token] ?? token)
  return python.replaceAll('\n', `\n${'    '.repeat(depth)}`)
}
