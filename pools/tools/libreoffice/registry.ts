import { access, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

// Our Python runs inside of LibreOffice, so values of a document cross no pipe: 42 ms a page instead of 165. It prints
// 200 documents, or until it has 1 GB.

const ROOT = '/usr/lib/libreoffice'
const UNO = '/usr/lib/python3/dist-packages/uno.py'

/** Throws if the program, its Writer or its bridge for Python is not installed. */
export async function readVersion(): Promise<string> {
  for (const path of [`${ROOT}/program/soffice.bin`, `${ROOT}/share/registry/writer.xcd`, UNO]) await access(path)
  const main = await readFile(`${ROOT}/share/registry/main.xcd`, 'utf8')
  return /ooSetupVersionAboutBox"[^>]*>\s*<value>([\d.]+)</.exec(main)?.[1] ?? 'unknown'
}

interface Format {
  family: string
  extension: string
  mime: string
  name: string
}

const FAMILIES: [string, string][] = [
  ['sheet.', 'spreadsheet'],
  ['presentation.', 'presentation'],
  ['drawing.', 'drawing'],
  ['text.', 'text'],
  ['sdb.', 'database'],
]
const NODE = /<node oor:name="([^"]+)" oor:op="replace">([\s\S]*?)<\/node>/g

/** What the installed filters can read, one entry for each extension. */
export async function listFormats(): Promise<Format[]> {
  const folder = join(ROOT, 'share/registry')
  const files = (await readdir(folder)).filter(name => name.endsWith('.xcd'))
  const texts = await Promise.all(files.map(name => readFile(join(folder, name), 'utf8')))
  const types = new Map(texts.flatMap(text => readNodes(text, 'Types')).map(([name, node]) => [name, node] as const))
  const formats = new Map<string, Format>()
  for (const [, filter] of texts.flatMap(text => readNodes(text, 'Filters'))) {
    const type = types.get(readProperty(filter, 'Type'))
    const family = FAMILIES.find(([service]) => readProperty(filter, 'DocumentService').includes(service))?.[1]
    if (!type || !family || !readProperty(filter, 'Flags').split(/\s+/).includes('IMPORT')) continue
    const name = readProperty(filter, 'UIName') || readProperty(type, 'UIName')
    const mime = readProperty(type, 'MediaType')
    for (const extension of readProperty(type, 'Extensions')
      .split(/\s+/)
      .filter(part => /^[a-z0-9]+$/.test(part))) {
      if (!formats.has(`${family} ${extension}`))
        formats.set(`${family} ${extension}`, { family, extension, mime, name })
    }
  }
  return [...formats.values()].sort(
    (a, b) => a.family.localeCompare(b.family) || a.extension.localeCompare(b.extension),
  )
}

/** The entries of one set of the registry, which may be in several pieces. */
function readNodes(text: string, set: string): [name: string, node: string][] {
  const pieces = text.split(`<node oor:name="${set}">`).slice(1)
  return pieces.flatMap(piece => {
    const own = piece.slice(0, piece.indexOf('</oor:component-data>'))
    return [...own.matchAll(NODE)].map(([, name, node]): [string, string] => [name!, node!])
  })
}

function readProperty(node: string, name: string): string {
  const property = new RegExp(`oor:name="${name}">\\s*<value[^>]*>([^<]*)<`).exec(node)
  return (property?.[1] ?? '')
    .replaceAll(/&#x([0-9a-f]+);/gi, (_, code) => String.fromCodePoint(Number.parseInt(code, 16)))
    .trim()
}
