import { type Static, Type } from 'typebox'
import { Choice, define, FileOutput, Problem, Warnings } from '#kit'
import { LINK_REL, rulesFor, SCHEMES } from './clean-shape.ts'
import { answerText, OUT_FORMAT, readContent, TEXT_OR_FILE, textPrice } from './content-shape.ts'
import { documentOf, frontMatterOf } from './document-shape.ts'

const Input = Type.Object({
  ...TEXT_OR_FILE,
  flavor: Choice(['commonmark', 'gfm'], { default: 'gfm' }),
  html: Choice(['escape', 'sanitize', 'allow'], {
    default: 'escape',
    description: 'What becomes of HTML in the text; allow cleans it too, a little less, unless unsafe is set.',
  }),
  unsafe: Type.Boolean({ default: false, description: 'With html allow: pass HTML on as it is.' }),
  breaks: Type.Boolean({ default: false, description: 'A line end is a line break.' }),
  anchors: Type.Boolean({ default: true, description: 'Headings get an id.' }),
  toc: Type.Boolean({ default: false, description: 'Answer with the list of headings.' }),
  document: Type.Boolean({ default: false, description: 'A whole page instead of a fragment.' }),
  highlight: Type.Boolean({ default: false, description: 'Classes of highlight.js in code whose language is named.' }),
  footnotes: Type.Boolean({ default: false }),
  taskLists: Type.Optional(Type.Boolean({ description: 'Left out: in gfm.' })),
  emoji: Type.Boolean({ default: false, description: ':smile: and the like.' }),
  outFormat: OUT_FORMAT,
})

export default define({
  summary: 'Turn Markdown into HTML.',
  description:
    'Links that would run something are never made. Front matter between two lines of --- is taken off and given back.',
  price: textPrice(),
  uses: ['markdown', 'htmlCleaner'],
  input: Input,
  output: Type.Object({
    html: Type.Optional(Type.String()),
    output: Type.Optional(FileOutput('text/html')),
    toc: Type.Optional(Type.Array(Type.Object({ level: Type.Integer(), text: Type.String(), id: Type.String() }))),
    frontMatter: Type.Optional(Type.String({ description: 'As it stood, without its lines of ---.' })),
    warnings: Warnings,
  }),
  errors: ['CONFLICTING_OPTIONS', 'UNSUPPORTED_FORMAT', 'HTML_PARSE_FAILED', 'TIME_LIMIT_EXCEEDED'],
  examples: [
    {
      title: 'A heading and a list of tasks',
      input: { text: '# Plan\n\n- [x] think\n- [ ] do', toc: true },
      answer: { toc: [{ level: 1, text: 'Plan', id: 'plan' }] },
    },
    {
      title: 'HTML is shown, not run',
      input: { text: 'a <script>alert(1)</script> **b**' },
      answer: { html: '<p>a &lt;script&gt;alert(1)&lt;/script&gt; <strong>b</strong></p>\n' },
    },
    {
      title: 'Front matter',
      input: { text: '---\ntitle: Hello\n---\nBody' },
      answer: { html: '<p>Body</p>\n', frontMatter: 'title: Hello' },
    },
  ],

  async run(input, { markdown, htmlCleaner }) {
    const { html, unsafe, toc, document, outFormat, file } = input
    if (unsafe && html !== 'allow') throw new Problem('CONFLICTING_OPTIONS', { fields: ['unsafe', 'html'] })
    const { text, warnings } = await readContent({ text: input.text, file })
    const { frontMatter, body } = frontMatterOf(text)
    const taskLists = input.taskLists ?? input.flavor === 'gfm'
    const rendered = await markdown.render(body, { ...input, taskLists, rawHtml: html !== 'escape' })
    const isTrusted = html === 'escape' || unsafe
    const fragment = isTrusted ? rendered.html : (await htmlCleaner.clean(rendered.html, cleaning(input))).html
    const made = document ? documentOf(fragment, rendered.toc[0]?.text ?? 'Document') : fragment
    const name = `${(file?.name ?? 'page').replace(/\.[^.]*$/, '')}.html`
    const answer = answerText(made, outFormat, name, 'text/html')
    const content = answer.output ? { output: answer.output } : { html: answer.text }
    const extras = { ...(toc && { toc: rendered.toc }), ...(frontMatter !== undefined && { frontMatter }) }
    return { result: { ...content, ...extras }, warnings }
  },
})

/** What the Markdown itself makes must survive: names of headings and footnotes, and boxes of tasks. */
function cleaning({ html }: Static<typeof Input>) {
  const profile = html === 'sanitize' ? 'basic' : 'rich'
  const common = { allowSchemes: SCHEMES, allowStyles: false, linkRel: LINK_REL, stripComments: true }
  const rules = rulesFor({
    profile,
    ...common,
    allowTags: ['table', 'thead', 'tbody', 'tr', 'th', 'td', 'img', 'section', 'span', 'input'].filter(
      tag => tag !== 'input',
    ),
  })
  const own: Record<string, string[]> = {
    '*': ['class'],
    img: ['src', 'alt', 'title'],
    input: ['type', 'checked', 'disabled'],
    ...Object.fromEntries(['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'li', 'sup', 'a'].map(tag => [tag, ['id']])),
  }
  const attributes = { ...rules.attributes }
  for (const [tag, names] of Object.entries(own)) attributes[tag] = [...(attributes[tag] ?? []), ...names]
  return { ...rules, tags: [...rules.tags, 'input'], attributes }
}
