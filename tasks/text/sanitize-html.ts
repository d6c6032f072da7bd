import { Type } from 'typebox'
import { Choice, define, FileOutput, Warnings } from '#kit'
import { buildCleaningRules, LINK_REL, PROFILES, SCHEMES } from '../formats/html/cleaning.ts'
import { answerText, HTML_OR_FILE, OUT_FORMAT, readHtmlContent, textPrice } from './schema.ts'

const Name = Type.String({ minLength: 1, maxLength: 60, pattern: '^[a-zA-Z][a-zA-Z0-9-]*$' })
const Counts = Type.Unsafe<Record<string, number>>({ type: 'object', description: 'Count by name.' })

export default define({
  summary: 'Make untrusted HTML safe to display.',
  keywords: 'clean html, xss, safe, strip scripts, untrusted, whitelist',
  description:
    'Keeps only what the profile and the lists allow. Scripts, frames, forms, SVG, MathML and event handlers are always ' +
    'removed. The result is parsed again as a browser would until nothing changes any more.',
  price: textPrice(),
  uses: ['htmlCleaner'],
  input: Type.Object({
    ...HTML_OR_FILE,
    profile: Choice(PROFILES, {
      default: 'basic',
      description:
        'strict: b, strong, i, em, u, s, p and br; basic: also headings, links and lists; rich: also tables, images and classes; email: for mail.',
    }),
    allowTags: Type.Optional(
      Type.Array(Name, {
        maxItems: 100,
        description:
          'Added to those of the profile, with the attributes they need: `a` keeps a safe `href`. For few tags, take `strict`.',
      }),
    ),
    allowAttributes: Type.Optional(
      Type.Unsafe<Record<string, string[]>>({
        type: 'object',
        additionalProperties: {
          type: 'array',
          items: { type: 'string', maxLength: 60, pattern: '^[a-zA-Z][a-zA-Z0-9-]*$' },
          maxItems: 100,
        },
        maxProperties: 100,
        description: 'By tag, `*` for all, in addition to those of the profile.',
      }),
    ),
    allowSchemes: Type.Array(Type.String({ maxLength: 30, pattern: '^[a-zA-Z][a-zA-Z0-9+.-]*$' }), {
      default: SCHEMES,
      maxItems: 30,
    }),
    allowStyles: Type.Boolean({ default: false, description: 'Keep harmless properties of style attributes.' }),
    linkRel: Type.String({ default: LINK_REL, maxLength: 200, pattern: '^[a-z -]*$' }),
    stripComments: Type.Boolean({ default: true }),
    outFormat: OUT_FORMAT,
  }),
  output: Type.Object({
    html: Type.Optional(Type.String()),
    output: Type.Optional(FileOutput('text/html')),
    removed: Type.Object({ tags: Counts, attributes: Counts, urls: Type.Array(Type.String()) }),
    warnings: Warnings,
  }),
  errors: ['CONFLICTING_OPTIONS', 'UNSUPPORTED_FORMAT', 'INVALID_PARAM', 'HTML_PARSE_FAILED', 'TIME_LIMIT_EXCEEDED'],
  examples: [
    {
      title: 'A script and a bad link',
      input: { text: '<p onclick="x()">Hi<script>alert(1)</script> <a href="javascript:x()">you</a></p>' },
      answer: {
        html: '<p>Hi <a rel="nofollow noopener">you</a></p>',
        removed: { tags: { script: 1 }, attributes: { onclick: 1, href: 1 }, urls: ['javascript:x()'] },
      },
    },
    {
      title: 'Plain formatting and links only',
      input: {
        text: '<h1>Hi</h1> <b>you</b> <a href="https://example.com">there</a>',
        profile: 'strict',
        allowTags: ['a'],
      },
      answer: { html: 'Hi <b>you</b> <a href="https://example.com" rel="nofollow noopener">there</a>' },
    },
    {
      title: 'Pictures and links stay in the rich profile',
      input: {
        text: '<a href="https://example.com"><img src="https://example.com/a.png" alt="a"></a>',
        profile: 'rich',
      },
      answer: {
        html: '<a href="https://example.com" rel="nofollow noopener"><img src="https://example.com/a.png" alt="a" /></a>',
      },
    },
  ],

  async run({ text, file, outFormat, ...choice }, { htmlCleaner }) {
    const { text: dirty, warnings } = await readHtmlContent({ text, file })
    const { html, removed } = await htmlCleaner.clean(dirty, buildCleaningRules(choice))
    const { text: short, output } = answerText(html, outFormat, file?.name ?? 'clean.html', 'text/html')
    return { result: { ...(output ? { output } : { html: short }), removed }, warnings }
  },
})
