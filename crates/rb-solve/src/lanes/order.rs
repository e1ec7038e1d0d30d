//! Which manifolds are swept side by side.
//!
//! Manifolds that share a movable body keep their order; others may be visited in any. So the manifolds
//! form a graph in which each waits for at most one earlier manifold per body, and a schedule takes up
//! to eight at a time of those that wait for nothing: the ones first that have the longest chain of
//! others behind them, which keeps the lanes full to the end. Any such schedule gives the bits of visiting
//! one manifold after the other. Source: T. Hu, "Parallel sequencing and assembly line problems", 1961.

use crate::lanes::LANES;
use rb_core::manifold::MAX_POINTS;
use rb_core::room;

const NONE: u32 = u32::MAX;
/// Classes of manifolds that may not share a batch.
const CLASSES: usize = 16;

/// A manifold in the graph.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// The manifold that comes next at body a, and at body b.
    next: [u32; 2],
    /// Manifolds on the longest chain behind it.
    tail: u32,
    /// The one below it in its queue.
    below: u32,
    /// Manifolds it still waits for.
    waits: u8,
    queue: u8,
}

/// Manifolds of one class and number of points that wait for nothing, by their tails.
#[derive(Clone, Copy, Debug, Default)]
struct Queue {
    class: u8,
    points: u8,
    len: u32,
    /// No manifold in it has a longer tail.
    top: u32,
}

/// Makes a schedule; kept from step to step for its memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Order {
    nodes: Vec<Node>,
    /// Last manifold of each body, twice its number plus the side on which it has the body.
    last: Vec<u32>,
    queues: Vec<Queue>,
    /// Queue of each class and number of points.
    numbers: [[Option<u8>; MAX_POINTS + 1]; CLASSES],
    /// First manifold of each tail, queue by queue.
    heads: Vec<u32>,
    /// Tails there may be.
    tails: usize,
}

/// Where a manifold goes.
pub(super) struct Place {
    /// Its number among those added.
    pub(super) manifold: u32,
    pub(super) batch: u32,
    pub(super) lane: u8,
}

impl Order {
    /// Starts anew with so many manifolds over `bodies` movable bodies.
    pub(super) fn begin(&mut self, bodies: usize, manifolds: usize) {
        self.nodes.clear();
        room::fit(&mut self.nodes, manifolds);
        self.queues.clear();
        self.numbers = Default::default();
        self.last.clear();
        room::fit(&mut self.last, bodies);
        self.last.resize(bodies, NONE);
    }

    /// Adds the next manifold; bodies beyond the movable ones hold nothing up.
    pub(super) fn add(&mut self, bodies: [u32; 2], class: u8, points: usize) {
        let number = self.nodes.len() as u32;
        let mut waits = 0;
        for (side, body) in bodies.into_iter().enumerate() {
            let Some(last) = self.last.get_mut(body as usize) else {
                continue;
            };
            let before = std::mem::replace(last, 2 * number + side as u32);
            if before != NONE {
                self.nodes[before as usize / 2].next[before as usize % 2] = number;
                waits += 1;
            }
        }
        let queue = self.queue(class, points as u8);
        self.nodes.push(Node {
            next: [NONE; 2],
            tail: 0,
            below: NONE,
            waits,
            queue,
        });
    }

    fn queue(&mut self, class: u8, points: u8) -> u8 {
        let next = self.queues.len() as u8;
        let number = &mut self.numbers[class as usize][points as usize];
        if number.is_none() {
            self.queues.push(Queue {
                class,
                points,
                ..Queue::default()
            });
        }
        *number.get_or_insert(next)
    }

    /// Tells every manifold's place, batch by batch; returns the number of batches.
    pub(super) fn schedule(&mut self, mut seat: impl FnMut(Place)) -> u32 {
        self.find_tails();
        let heads = self.tails * self.queues.len();
        self.heads.clear();
        room::fit(&mut self.heads, heads);
        self.heads.resize(heads, NONE);
        // The first of equals is to come out first.
        for m in (0..self.nodes.len() as u32).rev() {
            if self.nodes[m as usize].waits == 0 {
                self.push(m);
            }
        }
        let mut batch = 0;
        while let Some(queue) = self.most_urgent() {
            let (taken, len) = self.take(queue);
            for (lane, &manifold) in taken[..len].iter().enumerate() {
                let lane = lane as u8;
                seat(Place {
                    manifold,
                    batch,
                    lane,
                });
            }
            for &m in &taken[..len] {
                self.release(m);
            }
            batch += 1;
        }
        batch
    }

    fn find_tails(&mut self) {
        self.tails = 0;
        for m in (0..self.nodes.len()).rev() {
            let behind = self.nodes[m].next.into_iter().filter(|&x| x != NONE);
            let tail = behind.map(|x| self.nodes[x as usize].tail + 1).max();
            self.nodes[m].tail = tail.unwrap_or(0);
            self.tails = self.tails.max(self.nodes[m].tail as usize + 1);
        }
    }

    /// The queue with the longest tail on top; that of the most points among equals.
    fn most_urgent(&mut self) -> Option<usize> {
        let mut best = None;
        for k in 0..self.queues.len() {
            if self.queues[k].len == 0 {
                continue;
            }
            while self.heads[k * self.tails + self.queues[k].top as usize] == NONE {
                self.queues[k].top -= 1;
            }
            let urgency = (self.queues[k].top, self.queues[k].points);
            if best.is_none_or(|(most, _)| urgency > most) {
                best = Some((urgency, k));
            }
        }
        best.map(|(_, k)| k)
    }

    /// Takes a batch from a queue; free lanes go to manifolds of the class with fewer points, which
    /// cost nothing there.
    fn take(&mut self, queue: usize) -> ([u32; LANES], usize) {
        let Queue { class, points, .. } = self.queues[queue];
        let (mut taken, mut len) = ([NONE; LANES], 0);
        for points in (0..=points as usize).rev() {
            let Some(k) = self.numbers[class as usize][points] else {
                continue;
            };
            while len < LANES && self.queues[k as usize].len > 0 {
                taken[len] = self.pop(k as usize);
                len += 1;
            }
        }
        (taken, len)
    }

    fn push(&mut self, m: u32) {
        let node = &mut self.nodes[m as usize];
        let queue = &mut self.queues[node.queue as usize];
        let head = &mut self.heads[node.queue as usize * self.tails + node.tail as usize];
        node.below = std::mem::replace(head, m);
        queue.len += 1;
        queue.top = queue.top.max(node.tail);
    }

    fn pop(&mut self, k: usize) -> u32 {
        let queue = &mut self.queues[k];
        let heads = &mut self.heads[k * self.tails..][..self.tails];
        while heads[queue.top as usize] == NONE {
            queue.top -= 1;
        }
        let m = heads[queue.top as usize];
        heads[queue.top as usize] = self.nodes[m as usize].below;
        queue.len -= 1;
        m
    }

    /// What waited for a manifold waits for one less.
    fn release(&mut self, m: u32) {
        for x in self.nodes[m as usize].next {
            if x == NONE {
                continue;
            }
            let node = &mut self.nodes[x as usize];
            node.waits -= 1;
            if node.waits == 0 {
                self.push(x);
            }
        }
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        room::bytes(&self.nodes) + room::bytes(&self.last) + room::bytes(&self.heads)
    }
}
