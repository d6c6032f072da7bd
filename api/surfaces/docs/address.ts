import type { Entry } from '#kit'
import { type SurfaceOptions, withNamedWildcards } from '../entries.ts'
import { findHowTo, howToCurlPath, howToPath, listHowTos } from '../how-to/load.ts'
import { renderHowToIndexText, renderHowToText } from '../how-to/markdown.ts'
import { renderCallText } from '../llms/call-text.ts'
import { renderFamilyText } from '../llms/family-text.ts'
import { describeCallPage } from './call.ts'
import { describeClientsPage } from './clients.ts'
import { describeFamilyPage } from './family.ts'
import { describeHowToIndex, describeHowToPage } from './how-to.ts'
import { describeOverview } from './overview.ts'
import { type DocsPage, docsPathOf, renderDocsPage } from './shell.ts'

/** What is at an address below /docs: a family, one call, a task, or any of them as Markdown. */
export interface DocsAddress {
  family?: string
  name?: string
  /** The page about the clients. */
  isClients?: boolean
  /** The page about a task, or their list, which is ''. */
  howTo?: string
  /** Of the page about a task, only the commands for curl. */
  isCurlOnly?: boolean
  isMarkdown: boolean
}

/** Reads `sdk`, `pdf`, `pdf/merge` and the last two with `.md` at the end; undefined if nothing has this address. */
export function readDocsAddress(path: string, entries: readonly Entry[]): DocsAddress | undefined {
  if (path === 'sdk') return { isClients: true, isMarkdown: false }
  const isMarkdown = path.endsWith('.md')
  const address = isMarkdown ? path.slice(0, -3) : path
  if (address === '') return isMarkdown ? undefined : { isMarkdown }
  if (address === 'how-to') return { howTo: '', isMarkdown }
  const howTos = listHowTos(entries)
  const howTo = howTos.find(page => howToPath(page) === `/docs/${address}`)
  if (howTo) return { howTo: howTo.slug, isMarkdown }
  const commands = howTos.find(page => howToCurlPath(page) === `/docs/${path}`)
  if (commands) return { howTo: commands.slug, isCurlOnly: true, isMarkdown }
  if (entries.some(({ family }) => family === address)) return { family: address, isMarkdown }
  const entry = entries.find(entry => docsPathOf(entry) === `/docs/${address}`)
  return entry && { name: entry.name, isMarkdown }
}

/** The address of a call that is named as elsewhere: `pdf.merge`, `pdf_merge` or `v1/pdf/merge`; undefined if none is. */
export function findDocsRedirect(path: string, entries: readonly Entry[]): string | undefined {
  const [, name = '', ending = ''] = /^(.*?)(\.md)?\/?$/.exec(path) ?? []
  const entry = entries.find(entry => [entry.name, entry.tool, entry.path.slice(1)].includes(name))
  return entry && `${docsPathOf(entry)}${ending}`
}

export function renderDocs(address: DocsAddress, catalog: readonly Entry[], options: SurfaceOptions): string {
  const entries = withNamedWildcards(catalog)
  const { family, name, isClients, howTo, isCurlOnly, isMarkdown } = address
  const task = howTo === undefined ? undefined : findHowTo(howTo)
  const members = entries.filter(entry => entry.family === family)
  const entry = entries.find(entry => entry.name === name)
  if (isMarkdown && howTo !== undefined)
    return task ? renderHowToText(task, entries, { ...options, isCurlOnly }) : renderHowToIndexText(entries, options)
  if (isMarkdown) return entry ? renderCallText(entry, options) : renderFamilyText(family!, members, options)
  return renderDocsPage(entries, describePage(), options)

  function describePage(): DocsPage {
    if (task) return describeHowToPage(task, entries, options)
    if (howTo !== undefined) return describeHowToIndex(entries)
    if (entry) return describeCallPage(entry, options)
    if (isClients) return describeClientsPage(options)
    return family ? describeFamilyPage(family, members, options) : describeOverview(entries, options)
  }
}
