import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { explainTakenName } from '../plugins/operations.ts'

const NAME = /^[a-z][a-z0-9]{1,19}\.[a-z][a-z0-9]*(-[a-z0-9]+)*$/
export const PLUGIN_FORMS = ['module', 'program']

/** One sentence that says why a plugin cannot be written there, or undefined. */
export function explainInvalidPlugin(name: string, form: string, folder: string | undefined): string | undefined {
  if (folder === undefined) return 'Set PLUGINS_DIR to the folder of your operations.'
  if (!NAME.test(name)) return `"${name}" is no valid name: write family.verb in lower case, such as acme.stamp.`
  if (!PLUGIN_FORMS.includes(form)) return `A plugin is a ${PLUGIN_FORMS.join(' or a ')}, not "${form}".`
  const taken = explainTakenName(name)
  if (taken !== undefined) return `${taken}.`
  const path = pathOf(folder, name, form)
  return existsSync(path) ? `${path} exists already: edit it, or choose another name.` : undefined
}

function pathOf(folder: string, name: string, form: string): string {
  return join(folder, `${name.replace('.', '-')}${form === 'module' ? '.ts' : ''}`)
}

/** Writes a working example, with what an editor needs to know the types of a module. Returns its path. */
export async function writePlugin(root: string, folder: string, name: string, form: string): Promise<string> {
  await mkdir(folder, { recursive: true })
  const path = pathOf(folder, name, form)
  if (form === 'module') {
    await prepareEditor(root, folder)
    await writeFile(path, await fill('module.ts', name), { flag: 'wx' })
    return path
  }
  const draft = join(folder, `.${name}`)
  await mkdir(draft)
  await writeFile(join(draft, 'plugin.json'), await fill('plugin.json', name))
  await writeFile(join(draft, 'sort.sh'), await fill('sort.sh', name), { mode: 0o755 })
  await rename(draft, path)
  return path
}

/** A link under which Node and the type checker find what a module imports, outside of the service too. */
async function prepareEditor(root: string, folder: string): Promise<void> {
  const modules = join(folder, 'node_modules')
  await mkdir(modules, { recursive: true })
  if (!existsSync(join(modules, 'coinop'))) await symlink(root, join(modules, 'coinop'), 'dir')
  await writeOnce(join(folder, 'package.json'), { private: true, type: 'module' })
  const compilerOptions = {
    ...{ strict: true, noEmit: true, module: 'nodenext', target: 'es2024', lib: ['esnext'], types: ['node'] },
    typeRoots: ['./node_modules/coinop/node_modules/@types'],
    ...{ allowImportingTsExtensions: true, skipLibCheck: true },
  }
  await writeOnce(join(folder, 'tsconfig.json'), { compilerOptions })
}

async function writeOnce(path: string, content: object): Promise<void> {
  if (!existsSync(path)) await writeFile(path, `${JSON.stringify(content, null, 2)}\n`)
}

async function fill(template: string, name: string): Promise<string> {
  const text = await readFile(new URL(`../templates/plugin/${template}.txt`, import.meta.url), 'utf8')
  return text.replaceAll('{{name}}', name)
}
