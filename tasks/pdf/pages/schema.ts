import { Type } from 'typebox'
import { PageRanges, Secret } from '#kit'
import { PdfInput, password } from '../schema.ts'
import type { PagesInput } from './order.ts'

const Action = <const Name extends string>(name: Name) => Type.Unsafe<Name>({ type: 'string', const: name })

const Delete = Type.Object({
  action: Action('delete'),
  file: PdfInput(),
  pages: PageRanges({ description: 'The pages to delete, such as 1-3,5, last or even.' }),
  password,
})

const Reorder = Type.Object({
  action: Action('reorder'),
  file: PdfInput(),
  order: Type.Array(Type.Integer({ minimum: 1 }), {
    minItems: 1,
    maxItems: 2000,
    description: 'The pages of the result by their current numbers; pages may be left out or repeated.',
  }),
  password,
})

const Insert = Type.Object({
  action: Action('insert'),
  file: PdfInput(),
  insert: PdfInput('The document whose pages are inserted.'),
  at: Type.Integer({ minimum: 1, description: 'Page number of the first inserted page; one past the end appends.' }),
  insertPages: PageRanges({ default: 'all' }),
  insertPassword: Type.Optional(Secret({ maxLength: 127 })),
  password,
})

const DeleteBlank = Type.Object({
  action: Action('delete-blank'),
  file: PdfInput(),
  threshold: Type.Number({
    default: 0,
    minimum: 0,
    maximum: 50,
    description:
      'Percent of a page that may carry ink. Specks, shadows along the edges, tinted or noisy paper never count; 0.1 ' +
      'also takes pages that bear nothing but a page number, a stamp or the holes of a punch.',
  }),
  password,
})

export const PagesInputSchema = Type.Unsafe<PagesInput>({
  oneOf: [Delete, DeleteBlank, Reorder, Insert],
  discriminator: { propertyName: 'action' },
})
