import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

interface Module {
  name: string
  body?: string
  price?: string
  author?: object
  top?: string
  limitSeconds?: number
}

/** A module that says which text it was given, in a file and in a field. */
export function shout({
  name,
  body = 'const loud = text.toUpperCase()',
  price = `price('0.002')`,
  author,
  top = '',
  limitSeconds = 5,
}: Module) {
  return `import { FileInput, FileOutput, operation, price, Problem, refuse, Type } from 'coinop/plugin'
${top}
export default operation({
  name: '${name}',
  summary: 'Write a text in capitals, loudly.',
  keywords: 'yell, uppercase by acme',
  price: ${price},
  limitSeconds: ${limitSeconds},
  ${author ? `author: ${JSON.stringify(author)},` : ''}
  input: Type.Object({ file: FileInput({ accept: ['text/plain'] }), mark: Type.String({ default: '!', maxLength: 5 }) }),
  output: Type.Object({ output: FileOutput('text/plain'), letters: Type.Integer() }),
  examples: [{ title: 'A greeting', input: { file: { text: 'hello' } }, answer: { letters: 5 } }],
  async run({ file, mark }) {
    const text = new TextDecoder().decode(await file.bytes())
    if (text.trim() === 'nothing') throw refuse('It says nothing.')
    ${body}
    const output = { bytes: new TextEncoder().encode(loud + mark), contentType: 'text/plain', name: 'loud.txt' }
    return { result: { output, letters: text.length } }
  },
})
`
}

/** As an operator should drop a file: written elsewhere, then renamed. */
export async function dropFile(folder: string, file: string, content: string): Promise<void> {
  await writeFile(join(folder, `.${file}`), content)
  await rename(join(folder, `.${file}`), join(folder, file))
}

export async function dropProgram(folder: string, name: string): Promise<void> {
  const draft = join(folder, `.${name}`)
  await mkdir(draft)
  await writeFile(join(draft, 'plugin.json'), JSON.stringify(COUNT))
  await writeFile(join(draft, 'run.sh'), COUNT_SCRIPT, { mode: 0o755 })
  await rename(draft, join(folder, name))
}

/** A program that counts lines. */
const COUNT = {
  name: 'acme.count',
  summary: 'Count the lines of a text.',
  price: { usd: '0.001', per: 'call' },
  files: { file: { accept: ['text/plain'] } },
  options: { suffix: { type: 'string', maxLength: 20, default: 'x' } },
  outputs: { output: { type: 'text/plain', name: 'count.txt' } },
  result: { lines: { type: 'integer' } },
  command: ['./run.sh', '{file}', '{output}', '{suffix}'],
  limits: { seconds: 10, memoryMb: 64 },
  examples: [{ title: 'Two lines', input: { file: { text: 'a\nb\n' } }, answer: { lines: 2 } }],
}
const COUNT_SCRIPT = `#!/bin/sh
lines=$(wc -l < "$1")
if [ "$lines" -gt 5 ]; then echo "It has $lines lines, which is too many." >&2; exit 65; fi
echo "$lines$3" > "$2"
echo "{\\"lines\\": $lines}"
`
