"""The texts that `attnlib.training.minilm` lets the model read. Chapter 10 names those that are others'."""

# What chapter 10 shows, each beside two texts that it is compared with.
SHOWN = tuple(
    tuple(line.split(" | "))
    for line in """
Houston we have a problem | Mission control, something has gone wrong. | Houston is a city in Texas.
The bank by the river was covered with flowers. | Roses grew on the shore of the stream. | The bank raised its interest rate again.
The star fell from the sky. | A meteor was seen at night. | The film star walked on the red carpet.
The dog bites the man. | The man bites the dog. | A hound hurt somebody.
The man bites the dog. | The dog bites the man. | A hound hurt somebody.
It is cold today. | It is not cold today. | The weather is freezing.
It is not cold today. | It is cold today. | The weather is warm.
The teacher helped the pupil because she was patient. | The teacher was patient. | The pupil was patient.
The trophy does not fit into the suitcase because it is too big. | The trophy is too big. | The suitcase is too big.
The trophy does not fit into the suitcase because it is too small. | The trophy is too small. | The suitcase is too small.
Anna met Tom in the park, and he paints. | Tom paints. | Anna paints.
A rose is a rose is a rose. | A flower is a flower. | The sun rose at six.
The train to Paris leaves at nine, and the train to London leaves at ten. | One can go to Paris at nine. | One can go to London at nine.
The cat sleeps on the warm roof. | A kitten naps on top of the house. | The dog barked at the postman.
She said that the children, who had waited, were finally allowed to see the whales that swim past the island. | The children saw whales. | The island has many hotels.
I love ice cream 🍦 and strawberries! | I like dessert. | It is icy outside.
Der Zug fährt um neun Uhr nach Köln. | The train leaves for Cologne at nine. | The cook is tired.
Photosynthesis turns light into sugar. | Plants make food from sunshine. | Put sugar into the light coffee.
""".strip().splitlines()
)

# What scores and weights are averaged over.
SENTENCES = tuple(
    """
Houston we have a problem
The dog bites the man.
The man bites the dog.
The teacher helped the pupil because she was patient.
The trophy does not fit into the suitcase because it is too big.
Anna met Tom in the park, and he paints.
A rose is a rose is a rose.
The train to Paris leaves at nine, and the train to London leaves at ten.
It is not cold today.
It is cold today.
The cat sleeps on the warm roof.
A kitten naps on top of the house.
Heat some oil in a pan and fry the onions until they are golden.
The bank by the river was covered with flowers.
The bank raised its interest rate again.
She said that the children, who had waited for hours, were finally allowed to see the whales that swim past the island every autumn.
Photosynthesis turns light into sugar.
Every prime number greater than two is odd.
I love ice cream 🍦 and strawberries!
Der Zug fährt um neun Uhr nach Köln.
Where is the nearest hospital?
He gave her the book that she had lost.
The spacecraft lost oxygen after an explosion.
Astronauts report trouble to mission control.
My grandmother bakes bread every Sunday morning.
The committee has not yet decided whether to accept the proposal.
Two plus two is four, and four plus four is eight.
The quick brown fox jumps over the lazy dog.
If it rains tomorrow, we will stay at home and play chess.
Our neighbours have painted their fence green.
The judge read the letter aloud, then folded it and put it away.
Water boils at one hundred degrees.
Please close the window before you leave.
The museum opens at ten; tickets cost twelve euros.
When the music stopped, nobody moved.
An apple a day keeps the doctor away.
The old bridge was built in 1873 and closed in 1998.
Birds fly south in winter because food becomes scarce.
Ben lent Leo his bicycle, but he never rode it.
The company that made the engine no longer exists.
Snow fell all night, and in the morning the road was gone.
What did the farmer plant in the northern field this year?
The violinist tuned her instrument while the audience waited.
Glass is made from sand.
The recipe needs flour, sugar, butter, three eggs and a pinch of salt.
Mars has two small moons.
No one in the village had ever seen such a storm.
The new law protects rivers and lakes.
My brother's dog barks at my sister's cat.
The engineer checked the valve twice and found nothing wrong.
A small boat crossed the wide grey lake.
Children learn languages faster than adults do.
The experiment failed, so they repeated it with cleaner tubes.
Turn left at the church and walk straight on for five minutes.
The moon pulls the sea, and so the tide rises and falls.
He spoke slowly, clearly and without notes.
Nothing in the drawer belonged to her.
The library lends books, films and musical instruments.
Rust is iron that has met oxygen.
Gold does not rust.
You can see the castle from the top of the hill.
The price of bread has doubled since last year.
Can you tell me what time it is?
The lizard sat on the stone until the sun went down.
They walked home along the beach, tired and happy.
The doctor told the patient that he needed a rest.
A computer multiplies two numbers in less than a nanosecond.
The players argued with the referee about the goal.
Long after midnight the light in the kitchen was still on.
Bees dance to tell each other where the flowers are.
The map was wrong, and the path ended at a cliff.
We planted a tree where the old house stood.
The soup is too salty.
Which of these two roads leads to the harbour?
Nobody knows who wrote the song.
The clock on the tower has stopped.
Her shoes were wet, so she put them next to the stove.
In spring the river floods the lower meadows.
A good knife is a sharp knife.
The pilot landed the plane on the frozen lake.
The students asked the teacher whether the exam would be hard.
Some spiders build a new web every day.
The letter arrived three weeks late.
The mountain is higher than it looks from here.
The baker, the butcher and the barber live in the same street.
Whales are not fish.
He opened the box, and it was empty.
The lamp flickered and went out.
Sound travels faster in water than in air.
The tall girl with the red scarf won the race.
The shop sells old maps, clocks, coins and stamps.
I have never been to Iceland.
The fire spread quickly through the dry forest.
Everyone laughed except the king.
The actor forgot his lines in the second act.
This key opens that door.
Traffic was heavy, and the bus came late again.
Plants need light, water and air.
The rope broke just as he reached the top.
A storm is coming, said the fisherman, and he pulled in his nets.
The painter sold the picture to the collector for almost nothing.
The glass fell off the table but did not break.
""".strip().splitlines()
)

# Two sentences of like meaning, with few words in common.
PAIRS = tuple(
    tuple(line.split(" | "))
    for line in """
The cat sleeps on the warm roof. | A kitten naps on top of the house.
The train to Paris leaves at nine. | At nine o'clock the express departs for Paris.
He is a very good cook. | The food that he makes is excellent.
The shop is closed on Sundays. | You cannot buy anything there at the weekend.
The child is afraid of the dark. | At night the little girl gets scared.
It is raining heavily. | There is a terrible downpour outside.
The company raised its prices. | Their products have become more expensive.
She won the race easily. | Nobody could run as fast as she did.
The film was boring. | I nearly fell asleep at the cinema.
The doctor told him to rest. | The physician advised the patient to stay in bed.
The bridge is under repair. | Workers are mending the old crossing.
Houston, we have a problem. | Mission control, something has gone wrong.
The soup is too salty. | Somebody put too much salt into this broth.
My car does not start. | The engine of my automobile is dead.
The students passed the exam. | All pupils were successful in the test.
The lake is frozen. | There is thick ice on the water.
He plays the violin. | He is a musician with a string instrument.
The dog barked at the postman. | The hound made noise when the mail came.
The bakery sells fresh bread. | You can buy warm loaves there every morning.
The plane landed late. | The flight arrived behind schedule.
I lost my keys. | I cannot find what opens my door.
The teacher praised her essay. | Her instructor liked what she had written.
The river flooded the village. | Houses stood under water after the storm.
They got married in June. | The wedding was in summer.
The king died without an heir. | The monarch left no children.
The phone needs charging. | The battery of my mobile is empty.
Bees make honey. | The sweet stuff comes from insects.
The painting was stolen. | Thieves took a picture from the museum.
The team lost the final. | They were beaten in the last game.
The library lends books. | You may borrow novels there.
The road is slippery. | Drive carefully, there is ice on the street.
She is learning Spanish. | She takes lessons in a foreign language.
The price of oil fell. | Crude became cheaper.
The rocket reached orbit. | The spacecraft now circles the Earth.
The garden is full of flowers. | Roses and tulips bloom behind the house.
He broke his leg while skiing. | An accident in the snow put him in plaster.
The computer crashed again. | My laptop has stopped working once more.
We ran out of milk. | There is none left in the fridge.
The judge found him guilty. | The court convicted the man.
The baby is crying. | The infant wails.
""".strip().splitlines()
)

# The same words, and who does it to whom turned round.
SWAPS = tuple(
    tuple(line.split(" | "))
    for line in """
The dog bites the man. | The man bites the dog.
Anna thanked Tom. | Tom thanked Anna.
The cat chased the mouse. | The mouse chased the cat.
The teacher questioned the pupil. | The pupil questioned the teacher.
The king feared the bishop. | The bishop feared the king.
Germany beat Brazil. | Brazil beat Germany.
The car hit the bus. | The bus hit the car.
The lawyer paid the doctor. | The doctor paid the lawyer.
The boy loves the girl. | The girl loves the boy.
The wolf ate the sheep. | The sheep ate the wolf.
The company bought the bank. | The bank bought the company.
The son called the mother. | The mother called the son.
""".strip().splitlines()
)
