import { Parser } from 'htmlparser2'
import sanitizeHtml, { type IOptions } from 'sanitize-html'
import { Problem } from '#kit'
import { checkHtml, treeOf } from './html-tree.ts'

export function bind() {
  return { clean }
}

export interface CleanRules {
  tags: readonly string[]
  /** By tag; `*` is every tag. */
  attributes: Record<string, string[]>
  schemes: readonly string[]
  /** CSS properties a style may set; none drops styles. */
  styles: Record<string, RegExp[]>
  linkRel: string
  stripComments: boolean
}

export interface Cleaned {
  html: string
  removed: { tags: Record<string, number>; attributes: Record<string, number>; urls: string[] }
}

const MOST_ROUNDS = 4
const EMBEDDED = ['img']

/**
 * Built as a browser builds it, cleaned, and built and cleaned again until nothing changes, so that no browser can
 * read something else out of it than what was looked at.
 */
async function clean(html: string, rules: CleanRules): Promise<Cleaned> {
  checkHtml(html)
  const comments: string[] = []
  let cleaned = cleanOnce(rules.stripComments ? html : withoutComments(html, comments), rules)
  for (let round = 0; ; round++) {
    const again = cleanOnce(treeOf(cleaned).body.innerHTML, rules)
    if (again === cleaned) break
    if (round === MOST_ROUNDS) throw new Problem('HTML_PARSE_FAILED', { detail: 'reads differently each time' })
    cleaned = again
  }
  cleaned = cleaned.replace(COMMENT_MARK, (_, number) => comments[Number(number)] ?? '')
  return { html: cleaned, removed: differenceOf(inventoryOf(html), inventoryOf(cleaned)) }
}

const COMMENT_MARK = /\ue000(\d+)\ue001/g

/** Puts marks in the place of comments, which the cleaner has no way to keep. */
function withoutComments(html: string, comments: string[]): string {
  const plain = html.replace(COMMENT_MARK, '')
  return treeOf(plain).body.innerHTML.replace(/<!--([\s\S]*?)-->/g, (_, text: string) => {
    comments.push(`<!--${text.replace(/[<>"'`&]|--|^-|-$/g, '')}-->`)
    return `\ue000${comments.length - 1}\ue001`
  })
}

function cleanOnce(html: string, rules: CleanRules): string {
  const options: IOptions = {
    allowedTags: [...rules.tags],
    allowedAttributes: rules.attributes,
    allowedSchemes: [...rules.schemes],
    allowedSchemesByTag: Object.fromEntries(
      EMBEDDED.map(tag => [tag, rules.schemes.filter(scheme => scheme !== 'mailto' && scheme !== 'tel')]),
    ),
    allowedSchemesAppliedToAttributes: ['href', 'src', 'cite', 'action', 'background', 'poster'],
    allowProtocolRelative: false,
    allowVulnerableTags: false,
    disallowedTagsMode: 'discard',
    enforceHtmlBoundary: false,
    nestingLimit: 500,
    parseStyleAttributes: true,
    allowedStyles: { '*': rules.styles },
    ...(rules.linkRel !== '' && { transformTags: { a: withRel(rules.linkRel) } }),
  }
  return sanitizeHtml(html, options)
}

function withRel(linkRel: string) {
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

function inventoryOf(html: string): Inventory {
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

const MOST_TOLD = 100

function differenceOf(before: Inventory, after: Inventory): Cleaned['removed'] {
  const less = (from: Map<string, number>, to: Map<string, number>) => {
    const lost = [...from].map(([name, count]) => [name, count - (to.get(name) ?? 0)] as const)
    return Object.fromEntries(lost.filter(([, count]) => count > 0).slice(0, MOST_TOLD))
  }
  const urls = [...before.urls].filter(url => !after.urls.has(url))
  return {
    tags: less(before.tags, after.tags),
    attributes: less(before.attributes, after.attributes),
    urls: urls.slice(0, MOST_TOLD).map(url => url.slice(0, 500)),
  }
}
