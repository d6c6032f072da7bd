import { type Static, Type } from 'typebox'
import { Choice, define, FileOutput, Problem, Warnings } from '#kit'
import { buildCleaningRules, LINK_REL, SCHEMES } from '../formats/html/cleaning.ts'
import { splitFrontMatter, wrapInDocument } from '../formats/markup/markdown-page.ts'
import { answerText, OUT_FORMAT, readContent, TEXT_OR_FILE, textNamed, textPrice } from './schema.ts'

const Input = Type.Object({
  ...TEXT_OR_FILE,
  text: textNamed('markdown'),
  flavor: Choice(['commonmark', 'gfm'], { default: 'gfm' }),
  html: Choice(['escape', 'sanitize', 'allow'], {
    default: 'escape',
    description:
      'How to treat HTML in the text. allow cleans it less strictly than sanitize, and not at all if unsafe is set.',
  }),
  unsafe: Type.Boolean({
    default: false,
    description:
      'With html allow: keep HTML as it is. In gfm, the tags that GitHub filters, such as script, are escaped.',
  }),
  breaks: Type.Boolean({ default: false, description: 'Turn line ends into line breaks.' }),
  anchors: Type.Boolean({ default: true, description: 'Headings get an id.' }),
  toc: Type.Boolean({ default: false, description: 'Return the list of headings.' }),
  document: Type.Boolean({ default: false, description: 'Return a whole page instead of a fragment.' }),
  highlight: Type.Boolean({
    default: false,
    description: 'Add the classes of highlight.js to code blocks with a language.',
  }),
  footnotes: Type.Optional(Type.Boolean({ description: 'Left out: true for gfm.' })),
  taskLists: Type.Optional(Type.Boolean({ description: 'Left out: true for gfm.' })),
  emoji: Type.Boolean({ default: false, description: 'Replace :smile: and the like.' }),
  frontMatter: Type.Boolean({
    default: false,
    description: 'Remove front matter between two lines of --- at the start, and return it.',
  }),
  outFormat: OUT_FORMAT,
})

export default define({
  summary: 'Turn Markdown into HTML.',
  keywords: 'md to html, render markdown, readme, web page, gfm',
  converts: [{ from: 'markdown', to: 'html' }],
  description:
    'Links that would run code are never created. Lines of --- are Markdown like any other unless frontMatter is set.',
  price: textPrice(),
  uses: ['markdown', 'htmlCleaner'],
  input: Input,
  output: Type.Object({
    html: Type.Optional(Type.String()),
    output: Type.Optional(FileOutput('text/html')),
    toc: Type.Optional(Type.Array(Type.Object({ level: Type.Integer(), text: Type.String(), id: Type.String() }))),
    frontMatter: Type.Optional(Type.String({ description: 'As it was given, without the lines of ---.' })),
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
      input: { text: '---\ntitle: Hello\n---\nBody', frontMatter: true },
      answer: { html: '<p>Body</p>\n', frontMatter: 'title: Hello' },
    },
  ],

  async run(input, { markdown, htmlCleaner }) {
    const { html, unsafe, toc, document, outFormat, file } = input
    if (unsafe && html !== 'allow') throw new Problem('CONFLICTING_OPTIONS', { fields: ['unsafe', 'html'] })
    const { text, warnings } = await readContent({ text: input.text, file })
    const { frontMatter, body } = input.frontMatter ? splitFrontMatter(text) : { body: text }
    const shown = { ...chooseFeatures(input), rawHtml: html !== 'escape', filterTags: unsafe }
    const rendered = await markdown.render(body, { ...input, ...shown })
    const isTrusted = html === 'escape' || unsafe
    const fragment = isTrusted
      ? rendered.html
      : (await htmlCleaner.clean(rendered.html, buildCleaningOptions(input))).html
    const page = document ? wrapInDocument(fragment, rendered.toc[0]?.text ?? 'Document') : fragment
    const name = `${(file?.name ?? 'page').replace(/\.[^.]*$/, '')}.html`
    const answer = answerText(page, outFormat, name, 'text/html')
    const content = answer.output ? { output: answer.output } : { html: answer.text }
    const extras = { ...(toc && { toc: rendered.toc }), ...(frontMatter !== undefined && { frontMatter }) }
    return { result: { ...content, ...extras }, warnings }
  },
})

/** GitHub reads both. */
function chooseFeatures({ flavor, taskLists, footnotes }: Static<typeof Input>) {
  return { taskLists: taskLists ?? flavor === 'gfm', footnotes: footnotes ?? flavor === 'gfm' }
}

/** Allows what Markdown itself produces: ids of headings and footnotes, and checkboxes of task lists. */
function buildCleaningOptions({ html }: Static<typeof Input>) {
  const profile = html === 'sanitize' ? 'basic' : 'rich'
  const common = { allowSchemes: SCHEMES, allowStyles: false, linkRel: LINK_REL, stripComments: true }
  const rules = buildCleaningRules({
    profile,
    ...common,
    allowTags: ['table', 'thead', 'tbody', 'tr', 'th', 'td', 'img', 'section', 'span'],
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
