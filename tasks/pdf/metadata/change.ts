import { type TSchema, Type } from 'typebox'
import type { PdfMetadataChange } from '../../formats/pdf/properties.ts'

const nullable = (schema: TSchema) => Type.Unsafe<never>({ anyOf: [schema, { type: 'null' }] })
const text = (maxLength: number, description?: string) =>
  Type.Optional(nullable(Type.String({ maxLength, ...(description && { description }) })))

/** Everything a caller may set. */
export const PdfMetadataChangeSchema = Type.Unsafe<PdfMetadataChange>(
  Type.Object(
    {
      title: text(2000),
      author: text(2000),
      subject: text(2000),
      keywords: Type.Optional(nullable(Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { maxItems: 200 }))),
      creator: text(2000, 'The program that created the original document.'),
      language: text(35, 'Such as en or de-CH.'),
      creationDate: text(40, 'ISO 8601, such as 2026-01-31 or 2026-01-31T09:30:00+01:00.'),
      modDate: text(40, 'Left out: now.'),
      custom: Type.Optional(
        Type.Unsafe<object>({
          type: 'object',
          maxProperties: 100,
          additionalProperties: {
            anyOf: [{ type: 'string', maxLength: 2000 }, { type: 'number' }, { type: 'boolean' }, { type: 'null' }],
          },
          description: 'Custom properties.',
        }),
      ),
    },
    { description: 'The properties to write; null removes a property, and properties left out stay.' },
  ),
)
