import type { Entry, Example } from '#kit'
import { printWithSamples, readSampleInput } from './sample-input.ts'

/** A program for Node, without packages. */
export function renderTypeScript(entry: Entry, example: Example, publicUrl: string): string {
  const { samples, parts, fields } = readSampleInput(entry, example)
  const key = `\`Bearer \${env.KEY}\``
  const isForm = parts.length > 0
  const headers = isForm ? `{ Authorization: ${key} }` : `{ Authorization: ${key}, 'Content-Type': 'application/json' }`
  const lines = [
    "import { env } from 'node:process'",
    isForm && "import { openAsBlob } from 'node:fs'",
    !isForm && samples.length > 0 && "import { readFileSync } from 'node:fs'",
    isForm && 'const body = new FormData()',
    ...parts.map(([name, file]) => `body.append('${name}', await openAsBlob('${file}'), '${file}')`),
    isForm && Object.keys(fields).length > 0 && `body.append('options', JSON.stringify(${print(fields)}))`,
    !isForm && `const body = JSON.stringify(${print(fields)})`,
    `const response = await fetch('${publicUrl}${entry.path}', {`,
    `  method: '${entry.method}',`,
    `  headers: ${headers},`,
    '  body,',
    '})',
    'const result = await response.json()',
    `if (!response.ok) throw new Error(\`\${result.code}: \${result.error}\`)`,
    'console.log(result)',
  ]
  return lines.filter(line => line !== false).join('\n')
}

function print(fields: object): string {
  const text = printWithSamples(fields, 2, name => `{ inline: readFileSync('${name}').toString('base64') }`)
  return text.replaceAll(/^(\s*)"([A-Za-z_]\w*)":/gm, '$1$2:')
}
