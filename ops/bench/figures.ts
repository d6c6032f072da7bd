import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Figure } from './figure.ts'

const FIGURES_DIR = fileURLToPath(new URL('figures/', import.meta.url))

const FIGURE_FILE = /\/p\d\d-[^/]*\.ts$/

/** Finds all figures by their file names and sorts them by number. */
export async function loadFigures(): Promise<Figure[]> {
  const paths = readdirSync(FIGURES_DIR, { recursive: true, encoding: 'utf8' }).filter(path => FIGURE_FILE.test(path))
  const modules = await Promise.all(paths.map(async path => (await import(FIGURES_DIR + path)) as { default: Figure }))
  return modules.map(module => module.default).sort((one, other) => readNumber(one) - readNumber(other))
}

/** The figures with these names, or all of them. */
export function chooseFigures(figures: readonly Figure[], names: readonly string[]): Figure[] {
  const ids = names.map(name => name.toUpperCase())
  const unknown = ids.filter(name => !figures.some(({ id }) => id === name))
  if (unknown.length > 0) {
    throw new RangeError(
      `There is no figure ${unknown.join(', ')}; there are ${figures.map(({ id }) => id).join(' ')}.`,
    )
  }
  return figures.filter(({ id }) => ids.length === 0 || ids.includes(id))
}

function readNumber({ id }: Figure): number {
  return Number(id.slice(1))
}
