import { Parser } from 'htmlparser2'
import sanitizeHtml, { type IOptions } from 'sanitize-html'
import { Problem } from '#kit'
import type { CleaningRules } from '../../../tasks/formats/html/cleaning.ts'
import { checkHtmlLimits, parseHtml } from './tree.ts'

export function bind() {
  return { clean }
}

interface CleanedHtml {
  html: string
  removed: { tags: Record<string, number>; attributes: Record<string, number>; urls: string[] }
}

const MAX_ROUNDS = 4
const EMBEDDED_TAGS = ['img']

/**
 * Parses and cleans repeatedly until the result no longer changes. Otherwise a browser could parse the cleaned text
 * differently than the cleaner did, and find elements that were never checked (mutation XSS).
 */
async function clean(html: string, rules: CleaningRules): Promise<CleanedHtml> {
  checkHtmlLimits(html)
  const comments: string[] = []
  let cleaned = cleanOnce(rules.stripComments ? html : maskComments(html, comments), rules)
  for (let round = 0; ; round++) {
    const again = cleanOnce(parseHtml(cleaned).body.innerHTML, rules)
    if (again === cleaned) break
    if (round === MAX_ROUNDS)
      throw new Problem('HTML_PARSE_FAILED', { detail: 'the HTML changes each time it is parsed' })
    cleaned = again
  }
  cleaned = cleaned.replace(COMMENT_MARK, (_, number) => comments[Number(number)] ?? '')
  return { html: cleaned, removed: compareInventories(takeInventory(html), takeInventory(cleaned)) }
}

const COMMENT_MARK = /\ue000(\d+)\ue001/g

/** Replaces comments by marks, since the cleaner cannot keep comments. */
function maskComments(html: string, comments: string[]): string {
  const plain = html.replace(COMMENT_MARK, '')
  return parseHtml(plain).body.innerHTML.replace(/<!--([\s\S]*?)-->/g, (_, text: string) => {
    comments.push(`<!--${text.replace(/[<>"'`&]|--|^-|-$/g, '')}-->`)
    return `\ue000${comments.length - 1}\ue001`
  })
}

function cleanOnce(html: string, rules: CleaningRules): string {
  const options: IOptions = {
    allowedTags: [...rules.tags],
    allowedAttributes: rules.attributes,
    allowedSchemes: [...rules.schemes],
    allowedSchemesByTag: Object.fromEntries(
      EMBEDDED_TAGS.map(tag => [tag, rules.schemes.filter(scheme => scheme !== 'mailto' && scheme !== 'tel')]),
    ),
    allowedSchemesAppliedToAttributes: ['href', 'src', 'cite', 'action', 'background', 'poster'],
    allowProtocolRelative: false,
    allowVulnerableTags: false,
    disallowedTagsMode: 'discard',
    enforceHtmlBoundary: false,
    nestingLimit: 500,
    parseStyleAttributes: true,
    allowedStyles: { '*': rules.styles },
    ...(rules.linkRel !== '' && { transformTags: { a: setRel(rules.linkRel) } }),
  }
  return sanitizeHtml(html, options)
}

function setRel(linkRel: string) {
  return (tagName: string, attribs: Record<string, string>) => ({
    tagName,
    attribs: attribs.href === undefined ? attribs : { ...attribs, rel: linkRel },
  })
}

interface Inventory {
  tags: Map<string, number>
  attributes: Map<string, number>
  urls: Set<string>
}

const URL_ATTRIBUTES = new Set([
  'href',
  'src',
  'srcset',
  'action',
  'formaction',
  'cite',
  'background',
  'poster',
  'data',
  'xlink:href',
])

function takeInventory(html: string): Inventory {
  const inventory: Inventory = { tags: new Map(), attributes: new Map(), urls: new Set() }
  const add = (counts: Map<string, number>, name: string) => counts.set(name, (counts.get(name) ?? 0) + 1)
  const parser = new Parser({
    onopentag: (tag, attributes) => {
      add(inventory.tags, tag)
      for (const [name, value] of Object.entries(attributes)) {
        add(inventory.attributes, name)
        if (URL_ATTRIBUTES.has(name)) inventory.urls.add(value)
      }
    },
    oncomment: () => add(inventory.tags, '!--'),
  })
  parser.end(html)
  return inventory
}

const MAX_REPORTED = 100

function compareInventories(before: Inventory, after: Inventory): CleanedHtml['removed'] {
  const countLost = (from: Map<string, number>, to: Map<string, number>) => {
    const lost = [...from].map(([name, count]) => [name, count - (to.get(name) ?? 0)] as const)
    return Object.fromEntries(lost.filter(([, count]) => count > 0).slice(0, MAX_REPORTED))
  }
  const urls = [...before.urls].filter(url => !after.urls.has(url))
  return {
    tags: countLost(before.tags, after.tags),
    attributes: countLost(before.attributes, after.attributes),
    urls: urls.slice(0, MAX_REPORTED).map(url => url.slice(0, 500)),
  }
}
