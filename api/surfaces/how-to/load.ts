import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Entry } from '#kit'
import { loadModules } from '#kit'
import type { ProgramStep } from '../code/program/step.ts'
import type { HowTo } from './declaration.ts'

export interface HowToPage extends HowTo {
  /** `make-a-pdf-searchable`, the end of its address. */
  slug: string
  /** The folder that it is in. */
  subject: string
}

/** The folders of pages in the order in which they are listed. */
export const SUBJECTS: Readonly<Record<string, string>> = {
  documents: 'PDF and office files',
  reading: 'Reading documents',
  images: 'Images',
  media: 'Audio and video',
  tables: 'Tables',
  text: 'Text, archives and codes',
  making: 'Making documents and pictures',
  storage: 'Storing, sharing and proving',
  people: 'People and contracts',
  language: 'Language and retrieval',
  agents: 'Agents, jobs and payment',
}

const folder = fileURLToPath(new URL('pages/', import.meta.url))

/** All pages, by subject and then by title. */
export const howTos: readonly HowToPage[] = await loadPages()

async function loadPages(): Promise<HowToPage[]> {
  const found = Object.keys(SUBJECTS).flatMap(subject =>
    readdirSync(folder + subject).map(file => ({ subject, slug: file.replace(/\.ts$/, '') })),
  )
  const pathOf = ({ subject, slug }: { subject: string; slug: string }) => `${folder}${subject}/${slug}.ts`
  await loadModules(found.map(pathOf))
  return Promise.all(
    found.map(async place => ({ ...((await import(pathOf(place))) as { default: HowTo }).default, ...place })),
  )
}

export function findHowTo(slug: string): HowToPage | undefined {
  return howTos.find(page => page.slug === slug)
}

/** The address of a page below the public address. */
export function howToPath({ slug }: Pick<HowToPage, 'slug'>): string {
  return `/docs/how-to/${slug}`
}

/** The address of its text with the commands for curl alone: a third of the text with the programs in every language. */
export function howToCurlPath(page: Pick<HowToPage, 'slug'>): string {
  return `${howToPath(page)}.curl.md`
}

/** The calls of a page, each once. */
export function callsOf({ steps }: HowTo): string[] {
  return [...new Set(steps.map(({ call }) => call))]
}

/** The page that shows a call best: one that is about it alone comes first. */
export function findHowToOf(call: string): HowToPage | undefined {
  const about = howTos.filter(({ steps }) => steps.some(step => step.call === call))
  return about.toSorted((one, other) => one.steps.length - other.steps.length)[0]
}

/** The pages of which an installation has all calls. A family can be left out of one. */
export function listHowTos(entries: readonly Entry[]): HowToPage[] {
  const names = new Set(entries.map(({ name }) => name))
  return howTos.filter(({ steps }) => steps.every(({ call }) => names.has(call)))
}

/** The steps with their calls. */
export function resolveSteps({ steps }: HowTo, entries: readonly Entry[]): ProgramStep[] {
  return steps.map(step => {
    const entry = entries.find(({ name }) => name === step.call)
    if (!entry) throw new Error(`there is no call ${step.call}`)
    return { ...step, entry }
  })
}
