import { readdirSync } from 'node:fs'

/** What the files of a folder export by default, in the order of their names, each with the name of its file. */
export function loadByName<Part extends object>(folder: URL): Promise<(Part & { name: string })[]> {
  const files = readdirSync(folder).filter(file => file.endsWith('.ts'))
  return Promise.all(
    files.sort().map(async file => {
      const module = (await import(new URL(file, folder).href)) as { default: Part }
      return { ...module.default, name: file.slice(0, -'.ts'.length) }
    }),
  )
}
