/**
 * English words of opinion by their strength, from -4 to 4. Forms with -s, -ed, -ing, -ly, -er and -est are found by their
 * stem. Words that are as often neutral are left out.
 */
const BY_STRENGTH: Record<string, string> = {
  4: 'masterpiece outstanding phenomenal superb flawless',
  3: `adore amaze amazing astonishing awesome beautiful best blissful breathtaking brilliant delight delightful ecstatic excellent exceptional exquisite extraordinary fabulous fantastic gorgeous great heavenly impeccable incredible joyful love lovely magnificent marvelous marvellous perfect perfection remarkable sensational spectacular splendid stellar stunning sublime terrific thrill triumph unbeatable wonderful wow wonder elated euphoric overjoyed exhilarating glorious miracle miraculous superior unrivaled unrivalled bravo phenomenally unforgettable thrilled amazed loved`,
  2: `accomplish accomplished admirable admire adorable affordable agree agreeable appealing appreciate approve attractive beloved benefit beneficial bless blessed blessing bliss bonus bright calm celebrate charm charming cheer cheerful clean clever comfort comfortable comfy compliment congratulate congratulations convenient cool courteous creative cute dazzle dedicated delicious dependable desirable dream durable eager ease easy-to-use effective efficient effortless elegant enchanting encourage encouraging endorse energetic engaging enjoy enjoyable enthusiastic excited exciting excite expert faithful fascinating favorite favourite fine flexible fond fortunate fresh friendly fun funny generous gentle genius genuine gift glad glamorous good good-looking graceful gracious grateful gratitude handsome handy happy happiness harmony healthy heartwarming helpful hero heroic honest honor honour hopeful hospitable hug humorous ideal imaginative impress impressed impressive improve improvement innovative insightful inspire inspiring inspiration intelligent intuitive invaluable joy kind kindness knowledgeable laugh lively loyal luck lucky luxurious memorable neat nice noble outperform passion passionate peaceful pleasant please pleased pleasing pleasure polite popular positive praise precious pretty productive prompt proud recommend recommendable recommended refreshing relax relaxed relaxing reliable relief relieved rescue resilient resourceful respect respectful responsive reward rewarding rich robust romantic satisfy satisfied satisfying satisfaction seamless sharp sincere sleek smart smile smooth soothing sparkle speedy spotless stylish succeed success successful sunny superbly support supportive sweet talented tasty thank thanks thankful thoughtful thrive timely top top-notch treasure trust trusted trustworthy upbeat uplifting useful user-friendly valuable versatile vibrant victory virtue warm welcome welcoming well-made willing win winner wise witty worth worthwhile worthy yummy zeal efficiently beautifully nicely perfectly happily gladly brilliantly elegantly gracefully smoothly wonderfully impressively delightfully favorably favourably comfortably successfully`,
  1: `able acceptable accessible accurate achieve adequate advantage affirm alive ambitious amicable ample appropriate assure attentive authentic authoritative balanced better bold brave capable care careful caring cleaner clear comprehensive confident consistent cooperative cozy cosy crisp curious decent detailed determined diligent dynamic earn easy educated elevate enhance enough entertaining enrich fair fairly familiar fast faster favor favour favorable favourable fit focused forgive free friend gain glow growth helped help hope humble hygienic informative interested interesting keen lean legendary light like liked logical mature meaningful modern modest motivate natural novel nutritious ok okay open optimistic orderly organized organised original patient plentiful plus polished powerful practical precise prefer prepared privilege profit profitable progress promise promising proper prosper protect quick quiet readable ready realistic reasonable refined reform resolve resolved safe safety savvy secure skilled skillful solid spacious special spontaneous stable steady straightforward strength strong sturdy sufficient suitable sustain swift tender thorough tidy tolerant top-quality transparent unique upgrade upgraded useable usable valid value vivid well-organized work-friendly yes lightweight hassle-free painless nourish rejuvenate remedy reassure reassuring recover recovered revive simplify improved works`,
  '-1': `absent abrupt ache alarm allege aloof ambiguous anxious apologize apologise arbitrary argue awkward bare basic bland blame bother bug bumpy burden busy cautious challenge cheap cheaply chilly clumsy cold complain complaint complex complicated concern concerned conflict confuse confused confusing confusion costly cramped crowd crowded crash criticize criticise criticism cry damp dark dated delay delayed demand demanding deny dependence difficult difficulty dim dirt dirty disagree discourage distant distract doubt doubtful drab drain drawback dry dull error excessive excuse expensive fade fault faulty fear fee fewer fight flaw flawed flimsy forget forgot forgotten fragile friction frown fuss fuzzy generic glitch greedy gruff guilt guilty hard harsh hasty hesitant hesitate hide idle ignore ignored impersonal inaccurate incomplete inconsistent inconvenient inconvenience indifferent inefficient inferior inflexible insufficient interfere interrupt irregular issue itchy jam jealous lack lacking lag laggy late lazy leak limit limited limp lonely long-winded loose lose loud low-quality mediocre mess messy minor miss missing mistake mixed-up moody muddy naive narrow nervous noise noisy numb obscure odd old-fashioned outdated overcharge overcooked overcrowded overpriced overrated pale petty pity plain poorly-made pressure pricey problem problematic provoke pushy puzzled questionable regret reject reluctant repetitive resist restrict restrictive rough rushed sad scare scarce scratch scratched shabby shaky shallow shortage shy skeptical sceptical slack slippery sloppy slow sluggish small-minded smear sore sorry sour spill stain stale stiff strain strange stress stressed stressful strict struggle stubborn stuck stuffy subpar superficial suspicious sweaty tedious tense tight tire tired tiresome tough tricky trivial unavailable uncertain unclear uncomfortable underwhelming undercooked uneasy uneven unfinished unfit unhelpful uninspired unlucky unnecessary unpopular unsure unusual upset vague wasteful weak weakness weird wobbly worn worried worry wrong bored boring crashed broken-down buggy clunky cumbersome lacked lacks lags lags-behind`,
  '-2': `abandon abandoned abrasive abuse abysmal accuse aggravate aggressive agony alarmed angry anger anguish annoy annoyed annoying annoyance anxiety appalled arrogant ashamed assault attack bad badly ban bankrupt banned betray betrayal bitter bleak bloated blunder break broke broken brutal bully careless chaos chaotic cheat cheated cheater collapse condemn contempt contradict corrupt cracked cranky crap crappy creepy cringe crisis crude damage damaged damn danger dangerous dead deadly deceive deceptive decline defeat defect defective deficient delusion demean depress depressed depressing depression deprive desperate despair destroy destroyed deteriorate detest die dire dirtiest disappoint disappointed disappointing disappointment disapprove disconnect discomfort discontent disgrace dishonest dislike dismal dismiss disorder disorganized disorganised displease disrespect disrespectful disrupt dissatisfied dissatisfaction distort distress distrust disturb disturbing downfall dread dreary drown dumb embarrass embarrassed embarrassing enemy enrage exhaust exhausted exhausting exploit fail failed failing failure fake falsehood fatigue fearful filthy fool foolish forced fraud fraudulent frighten frustrate frustrated frustrating frustration furious futile garbage grief grim gross grumpy harass harm harmful hassle hate hated heartbroken helpless hindrance hopeless hostile humiliate hurt hypocrite idiot ignorance ignorant illegal illness imbecile immoral impatient imperfect impolite impossible inadequate incapable incompetent inept inexcusable infect insecure insincere insult insulting intolerable irresponsible irritate irritated irritating irritation junk kill lame lie liar lied lousy mad malfunction malicious manipulate menace mislead misleading misery miserable mistreat mock moron nasty negative neglect neglected nightmare nonsense obnoxious obsolete offend offensive oppressive outrage outraged pain painful panic pathetic plague poison poor poorly prejudice punish rage refuse regrettable reprehensible resent revenge ridiculous rip-off ripoff risky rotten rude ruin ruined ruthless sabotage sarcastic scam selfish severe shame shameful shameless shock shocking sick sickening sinister smash smell smelly snobby spoil spoiled spoilt stench stink stolen stupid suck sucks suffer suffering tainted tasteless terrified threat threaten ticked toxic tragedy tragic trap trash trauma trouble troubled ugly unacceptable unappealing unbearable unethical unfair unfortunate unfriendly unhappy unhealthy unhygienic unimpressed unjust unpleasant unprofessional unreasonable unreliable unresponsive unsafe unsatisfactory unsatisfied unstable unusable unwanted unwelcome useless vicious vile violate violent vomit vulgar wasted waste weep wicked woeful worse worthless wreck wretched yell unfortunately sadly annoyingly disappointingly`,
  '-3': `abhorrent abominable agonizing appalling atrocious awful catastrophe catastrophic cruel despicable devastate devastated devastating diabolical disaster disastrous disgust disgusted disgusting dreadful evil ghastly gruesome hateful heartbreaking hell hellish hideous horrendous horrible horrid horrific horrify horrified horror inhumane insufferable loathe loathsome murder nauseating odious repugnant repulsive revolting terrible terribly terrifying torment torture unforgivable worst wretchedly vomit-inducing atrocity deplorable excruciating infuriating`,
  '-4': 'abomination garbage-tier horrifyingly',
}

const EMOJI: Record<string, number> = {
  ...{
    '😀': 2,
    '😃': 2,
    '😄': 2,
    '😁': 2,
    '😊': 2,
    '🙂': 1,
    '😍': 3,
    '🥰': 3,
    '😘': 2,
    '🤩': 3,
    '😂': 1,
    '🤣': 1,
    '😎': 2,
    '👍': 2,
  },
  ...{
    '👏': 2,
    '🙌': 2,
    '🎉': 2,
    '❤': 3,
    '💖': 3,
    '💯': 2,
    '🔥': 1,
    '✨': 1,
    '🌟': 2,
    '⭐': 1,
    '🥳': 3,
    '🙏': 1,
    '💪': 1,
    '😇': 1,
  },
  ...{
    '😢': -2,
    '😭': -2,
    '😞': -2,
    '😔': -2,
    '😟': -1,
    '😕': -1,
    '🙁': -1,
    '☹': -2,
    '😠': -2,
    '😡': -3,
    '🤬': -3,
    '😤': -2,
  },
  ...{
    '👎': -2,
    '💔': -3,
    '🤮': -3,
    '🤢': -3,
    '😱': -1,
    '😩': -2,
    '😫': -2,
    '😒': -2,
    '🙄': -1,
    '😖': -2,
    '💩': -2,
    '😬': -1,
  },
  ...{
    ':)': 2,
    ':-)': 2,
    ':D': 2,
    ':-D': 2,
    ';)': 1,
    '<3': 3,
    ':(': -2,
    ':-(': -2,
    ":'(": -2,
    ':/': -1,
    ':-/': -1,
    '>:(': -3,
    'D:': -2,
  },
}

export const STRENGTHS: ReadonlyMap<string, number> = new Map(
  Object.entries(BY_STRENGTH).flatMap(([strength, words]) =>
    words.split(/\s+/).map(word => [word, Number(strength)] as const),
  ),
)

export const EMOJI_STRENGTHS: ReadonlyMap<string, number> = new Map(Object.entries(EMOJI))

export const NEGATIONS = new Set(
  (
    "not no never none nobody nothing neither nor nowhere cannot can't won't don't doesn't didn't isn't aren't wasn't weren't " +
    "wouldn't shouldn't couldn't hasn't haven't hadn't ain't without hardly scarcely barely lacks lack dont doesnt didnt isnt " +
    'wasnt cant wont far'
  ).split(' '),
)

/** How much they strengthen or weaken the word after them. */
export const DEGREES: ReadonlyMap<string, number> = new Map([
  ...(
    'absolutely amazingly completely considerably decidedly deeply enormously entirely especially exceptionally extremely ' +
    'fully greatly highly hugely incredibly insanely intensely majorly most particularly purely quite really remarkably so ' +
    'substantially super thoroughly totally tremendously truly unbelievably utterly very way too'
  )
    .split(' ')
    .map(word => [word, 1.3] as const),
  ...'almost barely fairly hardly kinda less little marginally mildly moderately occasionally partly rather scarcely slightly somewhat sorta'
    .split(' ')
    .map(word => [word, 0.65] as const),
])
