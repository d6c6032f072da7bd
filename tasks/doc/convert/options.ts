import { type Static, Type } from 'typebox'
import { Choice, FileInput, type InputFile, Problem } from '#kit'
import { MARKUP_FORMATS, type MarkupFormat, type SourceFormat } from '../../formats/markup/formats.ts'

const TEMPLATE_FORMATS = ['docx', 'odt', 'pptx'] as const

export const ConvertOptions = Type.Object(
  {
    standalone: Type.Boolean({ default: true, description: 'A whole document, not a fragment.' }),
    toc: Type.Boolean({ default: false, description: 'With a table of contents.' }),
    tocDepth: Type.Integer({ default: 3, minimum: 1, maximum: 6 }),
    numberSections: Type.Boolean({ default: false }),
    title: Type.Optional(Type.String({ maxLength: 500 })),
    language: Type.Optional(
      Type.String({ pattern: '^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$', description: 'Such as de-AT.' }),
    ),
    template: Type.Optional(
      FileInput({
        accept: TEMPLATE_FORMATS.map(format => MARKUP_FORMATS[format].mime),
        description: 'A docx, odt or pptx whose styles the output takes; of the same format as the output.',
      }),
    ),
    bibliography: Type.Optional(FileInput({ description: 'References as BibTeX, RIS, CSL JSON or YAML.' })),
    csl: Type.Optional(FileInput({ description: 'Citation style (CSL).' })),
    citeproc: Type.Optional(Type.Boolean({ description: 'Resolve citations; default: if there is a bibliography.' })),
    math: Choice(['mathml', 'latex', 'unicode'], {
      default: 'mathml',
      description: 'How formulas are written in HTML and EPUB.',
    }),
    wrap: Choice(['none', 'auto'], { default: 'none', description: '`auto` breaks the lines of text formats.' }),
    slideLevel: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 6, description: 'The heading level that begins a slide of pptx.' }),
    ),
    trackedChanges: Choice(['accept', 'reject', 'all'], {
      default: 'accept',
      description: 'Of a docx. `all`: with its comments too.',
    }),
    headingShift: Type.Integer({ default: 0, minimum: -5, maximum: 5 }),
    media: Choice(['inline', 'zip', 'drop'], {
      default: 'inline',
      description:
        'Pictures: in the output, beside it in the folder media of a zip, or replaced by their descriptions.',
    }),
  },
  { default: {} },
)

type Options = Static<typeof ConvertOptions>

interface Resource {
  name: string
  path: string
}

const MATH_METHODS = { mathml: 'mathml', latex: 'mathjax', unicode: 'plain' }

/** The options as pandoc takes them in a defaults file. */
export async function buildSettings(options: Options, to: MarkupFormat, from: SourceFormat) {
  const { template, bibliography, csl, title, language } = options
  rejectUnfitting(options, to, from)
  const resources: Resource[] = []
  const add = (file: InputFile | undefined, name: string) => {
    if (file) resources.push({ name, path: file.path })
    return file && name
  }
  const settings = {
    standalone: options.standalone,
    'table-of-contents': options.toc,
    'toc-depth': options.tocDepth,
    'number-sections': options.numberSections,
    metadata: { ...(title !== undefined && { title }), ...(language !== undefined && { lang: language }) },
    // An empty variable keeps pandoc from adding a script of a foreign server.
    variables: { math: '' },
    'reference-doc': add(template, `template.${to}`),
    bibliography: add(bibliography, `references.${bibliography ? await detectReferences(bibliography) : ''}`),
    csl: add(csl, 'style.csl'),
    citeproc: options.citeproc ?? bibliography !== undefined,
    'html-math-method': { method: MATH_METHODS[options.math] },
    wrap: options.wrap,
    'slide-level': options.slideLevel,
    'track-changes': options.trackedChanges,
    'shift-heading-level-by': options.headingShift,
  }
  return { settings, resources }
}

function rejectUnfitting(
  { template, slideLevel, csl, bibliography, citeproc }: Options,
  to: string,
  from: string,
): void {
  const conflict = (option: string, other: string) =>
    new Problem('CONFLICTING_OPTIONS', { fields: [`options.${option}`, other] })
  if (template && MARKUP_FORMATS[to as MarkupFormat].mime !== template.type) throw conflict('template', 'to')
  if (slideLevel !== undefined && to !== 'pptx') throw conflict('slideLevel', 'to')
  if (csl && citeproc === false) throw conflict('csl', 'options.citeproc')
  if (citeproc && !bibliography && from !== 'markdown') throw conflict('citeproc', 'options.bibliography')
}

async function detectReferences(file: InputFile): Promise<string> {
  const head = Buffer.from(await file.bytes())
    .subarray(0, 2000)
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .trimStart()
  if (/^[[{]/.test(head)) return 'json'
  if (/^TY {2}-/.test(head)) return 'ris'
  return /^(?:---|references:)/.test(head) ? 'yaml' : 'bib'
}
