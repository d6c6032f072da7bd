import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Figure } from './figure.ts'

const HERE = fileURLToPath(new URL('.', import.meta.url))

/** Finds the figures by walking this folder, in their order. */
export async function loadFigures(): Promise<Figure[]> {
  const names = readdirSync(HERE).filter(name => /^p\d\d-.*\.ts$/.test(name))
  const modules = await Promise.all(names.sort().map(async name => (await import(HERE + name)) as { default: Figure }))
  return modules.map(module => module.default)
}

/** All of them, or those that are named. */
export function chooseFigures(figures: readonly Figure[], names: readonly string[]): Figure[] {
  const wanted = names.map(name => name.toUpperCase())
  const unknown = wanted.filter(name => !figures.some(({ id }) => id === name))
  if (unknown.length > 0) {
    throw new RangeError(
      `There is no figure ${unknown.join(', ')}; there are ${figures.map(({ id }) => id).join(' ')}.`,
    )
  }
  return figures.filter(({ id }) => wanted.length === 0 || wanted.includes(id))
}
