import { readdir, readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import type { PackageFile } from './tar.ts'

const HERE = new URL('.', import.meta.url)
const LICENCE = new URL('../../../LICENSE', import.meta.url)

export function readLicence(): Promise<string> {
  return readFile(LICENCE, 'utf8')
}

/** The part of the TypeScript client that is the same for every installation, as JavaScript. */
export async function readScripts(): Promise<PackageFile[]> {
  const sources = await readFolder('typescript/', '.ts')
  const plain = await readFolder('npm/', '')
  const scripts = sources.map(({ name, content }) => ({
    name: name.replace(/\.ts$/, '.js'),
    content: toJavaScript(content),
  }))
  const types = sources.find(({ name }) => name === 'types.ts')!
  return [
    ...scripts,
    ...plain.map(file => ({ ...file, isProgram: file.name === 'bin.js' })),
    { name: 'types.d.ts', content: types.content },
  ]
}

/** The part of the Python client that is the same for every installation. */
export async function readPython(): Promise<PackageFile[]> {
  return readFolder('python/', '.py')
}

const COMMENTS_ONLY = /^(?:\s|\/\/[^\n]*\n|\/\*[\s\S]*?\*\/)*$/

/** Types become blanks, which are taken away where they fill lines. */
function toJavaScript(source: string): string {
  const stripped = stripTypeScriptTypes(source)
  if (COMMENTS_ONLY.test(stripped)) return 'export {}\n'
  return stripped
    .replaceAll(/(\bfrom |\bimport )'(\.{1,2}\/[^']+)\.ts'/g, "$1'$2.js'")
    .replaceAll(/[ \t]+$/gm, '')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trimStart()
}

/** In the order of their names, so that packages are the same everywhere. */
async function readFolder(folder: string, ending: string): Promise<{ name: string; content: string }[]> {
  const root = new URL(folder, HERE)
  const names = (await readdir(root, { recursive: true })).filter(name => /\.\w+$/.test(name) && name.endsWith(ending))
  return Promise.all(names.sort().map(async name => ({ name, content: await readFile(new URL(name, root), 'utf8') })))
}
