import { Type } from 'typebox'
import { Secret } from '#kit'

export const PrintedFonts = Type.Object({
  embedded: Type.Array(Type.String()),
  substituted: Type.Array(Type.Object({ requested: Type.String(), used: Type.String() })),
})

export const officePassword = Type.Optional(
  Secret({ maxLength: 127, description: 'Password that opens the document.' }),
)
