import { expect, test } from 'vitest'
import { applyEdits, findFaults } from '../../../../tasks/engines/language/proofread/check.ts'

const proofread = (text: string) => applyEdits(text, findFaults(text, { language: 'en', level: 'grammar', ignore: [] }))

test.each([
  'Vitamin A is good for the eyes.',
  'Option A or option B will do.',
  'Plan A is ready.',
  'Hepatitis A infection is rare here.',
  'Item a is on the list.',
  'Thank you for your welcome.',
  'Your welcome speech was fine.',
  'Fix your wrong answers.',
  'Life was better then.',
  'It was faster then, and it is now.',
  'He gave her her book.',
  'for i in range(10): print(i)',
  'They would of necessity fail.',
  'Basil is a herb.',
])('leaves alone what is right: %s', text => {
  expect(proofread(text)).toBe(text)
})

test.each([
  ['It is a apple.', 'It is an apple.'],
  ['It is better then the old one.', 'It is better than the old one.'],
  ['Your welcome!', "You're welcome!"],
  ['I think your going to win.', "I think you're going to win."],
  ['We could of won.', 'We could have won.'],
  ['She saw the the dog.', 'She saw the dog.'],
  ['It is late, its a hour away.', "It is late, it's an hour away."],
  ['Then i went home.', 'Then I went home.'],
])('mends %s', (text, right) => {
  expect(proofread(text)).toBe(right)
})
