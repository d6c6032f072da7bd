import { Type } from 'typebox'
import { Choice, FileInput } from '#kit'
import { TimeField } from '../../formats/media/times.ts'
import { fontField, MEDIA_TYPES, textColorField } from '../schema.ts'
import { POSITIONS } from './layers.ts'

const optional = (
  type: typeof Type.Number | typeof Type.Integer,
  minimum: number,
  maximum: number,
  description: string,
) => Type.Optional(type({ minimum, maximum, description }))
/** Without defaults in the schema, so that a field that belongs to another kind of layer can be refused. */
export const layerFields = {
  overlay: Type.Optional(
    FileInput({
      accept: [...MEDIA_TYPES, 'image/*'],
      probe: 'media',
      description: 'An image, an animation or a video.',
    }),
  ),
  text: Type.Optional(Type.String({ minLength: 1, maxLength: 2000, description: 'Instead of `overlay`.' })),
  position: Type.Optional(Choice(POSITIONS, { description: 'Default northeast.' })),
  x: optional(Type.Integer, -4096, 4096, 'With `y` instead of `position`: pixels from the left.'),
  y: optional(Type.Integer, -4096, 4096, 'Pixels from the top.'),
  margin: optional(Type.Integer, 0, 2000, 'Pixels from the edges; default 24.'),
  scale: optional(Type.Number, 0.01, 1, "Width of an overlay as a share of the video's; default 0.15."),
  opacity: optional(Type.Number, 0, 1, 'Default 1.'),
  start: Type.Optional(TimeField()),
  end: Type.Optional(TimeField()),
  fadeMs: optional(Type.Integer, 0, 60_000, 'In and out; default 0.'),
  loop: Type.Optional(Type.Boolean({ description: 'Repeat an animation or a video; default true.' })),
  font: fontField('Of text; default one for each script.'),
  fontSize: optional(Type.Number, 4, 1000, 'Pixels; default 6 % of the height.'),
  color: textColorField('Of text, #rrggbb or #rrggbbaa; default #ffffff.'),
  box: Type.Optional(Type.Boolean({ description: 'A box behind the text.' })),
  boxColor: textColorField('Default #00000099.'),
}
