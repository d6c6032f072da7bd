import { expect, test } from 'vitest'
import { extractAnswer } from '../../../../tasks/engines/answers/extract.ts'
import { readQuestion } from '../../../../tasks/engines/answers/question.ts'

const codes = [
  {
    id: 'near',
    text: 'Item 12344 weighs 408 grams. Its colour code is K49205. Item 12345 weighs 415 grams. Its colour code is K57124.',
  },
  { id: 'other', text: 'Item 19307 weighs 149 grams. Its colour code is K19222. Item 19308 weighs 156 grams.' },
  { id: 'cut', text: 'Its colour code is K12345. Item 7 weighs 2 grams.' },
]

function answer(question: string, passages: readonly { id: string; text: string }[], count = 2): string[] {
  return extractAnswer(readQuestion(question, 'en'), passages, count).quotes.map(({ id, quote }) => `${id}: ${quote}`)
}

test('a sentence that says “its” is quoted behind the one that names what it is about', () => {
  const right = ['near: Item 12345 weighs 415 grams.', 'near: Its colour code is K57124.']
  expect(answer('What is the colour code of item 12345?', codes)).toEqual(right)
  expect(answer('What is the colour code of item 12345?', codes.toReversed())).toEqual(right)
})

test('a sentence that says “it” of what its passage does not name is not put beside another passage', () => {
  const passages = [
    { id: 'pump', text: 'The pump of hall 3 is cleaned in May.' },
    { id: 'cut', text: 'It is cleaned each Monday by hand, in hall 3.' },
  ]
  expect(answer('When is the pump of hall 3 cleaned?', passages)).toEqual([
    'pump: The pump of hall 3 is cleaned in May.',
  ])
  expect(answer('What is cleaned by hand on Monday?', passages)).toEqual([
    'cut: It is cleaned each Monday by hand, in hall 3.',
  ])
})
