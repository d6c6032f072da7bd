import { Type } from 'typebox'
import { Choice, define, FileOutput, Warnings } from '#kit'
import { LINK_REL, PROFILES, rulesFor, SCHEMES } from './clean-shape.ts'
import { answerText, OUT_FORMAT, readContent, TEXT_OR_FILE, textPrice } from './content-shape.ts'

const Name = Type.String({ minLength: 1, maxLength: 60, pattern: '^[a-zA-Z][a-zA-Z0-9-]*$' })
const Counts = Type.Unsafe<Record<string, number>>({ type: 'object', description: 'How many of each name.' })

export default define({
  summary: 'Make HTML from strangers safe to show.',
  description:
    'Only what the profile and the lists allow stays; scripts, frames, forms, SVG, MathML and event handlers never ' +
    'do, whatever is asked. The result is read again as a browser reads it until nothing changes any more.',
  price: textPrice(),
  uses: ['htmlCleaner'],
  input: Type.Object({
    ...TEXT_OR_FILE,
    profile: Choice(PROFILES, {
      default: 'basic',
      description: 'strict: plain marks; basic: with links and lists; rich: with tables, pictures and classes; email.',
    }),
    allowTags: Type.Optional(Type.Array(Name, { maxItems: 100, description: 'Besides those of the profile.' })),
    allowAttributes: Type.Optional(
      Type.Unsafe<Record<string, string[]>>({
        type: 'object',
        additionalProperties: {
          type: 'array',
          items: { type: 'string', maxLength: 60, pattern: '^[a-zA-Z][a-zA-Z0-9-]*$' },
          maxItems: 100,
        },
        maxProperties: 100,
        description: 'By tag, `*` for all, besides those of the profile.',
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
    const { text: dirty, warnings } = await readContent({ text, file })
    const { html, removed } = await htmlCleaner.clean(dirty, rulesFor(choice))
    const { text: short, output } = answerText(html, outFormat, file?.name ?? 'clean.html', 'text/html')
    return { result: { ...(output ? { output } : { html: short }), removed }, warnings }
  },
})
